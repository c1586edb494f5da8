/** Every status a record can have, with the statuses it may move to. Conditional writes are made from these tables. */
export const videoTransitions = {
  pending: ['downloading', 'failed'],
  downloading: ['running', 'failed'],
  running: ['uploading', 'failed'],
  uploading: ['completed', 'failed'],
  completed: ['pending'],
  failed: ['pending'],
} as const;
export type VideoStatus = keyof typeof videoTransitions;

export const outputTransitions = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: ['pending'],
} as const;
export type OutputStatus = keyof typeof outputTransitions;

export const streamTransitions = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: ['pending'],
  failed: ['pending'],
} as const;
export type StreamStatus = keyof typeof streamTransitions;

/**
 * How the end of a stream edit changes its stream. The outcome of the edit decides, also for a stream that one of the edit's jobs has failed
 * before: an earlier attempt at that job may still have delivered its result.
 */
export const editedStreamTransitions = {
  pending: ['completed', 'failed'],
  running: ['completed', 'failed'],
  completed: ['completed', 'failed'],
  failed: ['completed', 'failed'],
} as const;

/** A step of a node that is not to serve meanwhile is `deploying`; `draining` and `deleting` take no new work. */
export const nodeTransitions = {
  pending: ['deploying', 'deleting'],
  deploying: ['pending', 'active', 'failed'],
  active: ['deploying', 'draining', 'failed', 'pending', 'deleting'],
  draining: ['pending', 'failed', 'deleting'],
  failed: ['deploying', 'active', 'pending', 'deleting'],
  deleting: ['failed'],
} as const;
export type NodeStatus = keyof typeof nodeTransitions;

export const jobTransitions = {
  QUEUED: ['LEASED', 'DONE', 'CANCELLED'],
  LEASED: ['DONE', 'FAILED', 'CANCELLED'],
  // when everything of a video is to be done again
  DONE: ['CANCELLED'],
  FAILED: ['QUEUED', 'DONE'],
  CANCELLED: ['QUEUED'],
} as const;
export type JobStatus = keyof typeof jobTransitions;

type Transitions = Readonly<Record<string, readonly string[]>>;

const statusesOf = <Table extends Transitions>(table: Table) => Object.keys(table) as [keyof Table, ...(keyof Table)[]];

export const videoStatuses = statusesOf(videoTransitions);
export const outputStatuses = statusesOf(outputTransitions);
export const streamStatuses = statusesOf(streamTransitions);
export const nodeStatuses = statusesOf(nodeTransitions);
export const jobStatuses = statusesOf(jobTransitions);

/** The statuses from which `to` may be reached: the condition of the write that moves a record there. */
export const statusesBefore = <Table extends Transitions>(table: Table, to: keyof Table): (keyof Table)[] =>
  Object.keys(table).filter((from) => table[from]?.includes(to as string));

export const isFinal = (status: VideoStatus | OutputStatus | StreamStatus): boolean =>
  status === 'completed' || status === 'failed';
