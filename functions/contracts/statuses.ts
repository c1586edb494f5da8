/**
 * The statuses of a video, each with those that it may move to. A status changes by one conditional write, whose
 * condition comes from these tables (`statusesBefore`). Only the run of the whole video moves the video; during stream
 * edits it stays `completed`.
 *
 * - `pending`: waits for its execution, or for a slot when the stage runs as many videos as it may
 * - `downloading`: claimed by an execution; the source is being probed and planned
 * - `running`: streams and outputs of the plan are recorded; their jobs run
 * - `uploading`: all encodes have ended; outputs are being packaged
 * - `completed`: the run has ended, and at least one output plays
 * - `failed`: the run has ended, and no output of its plan plays
 *
 * Processing a video again moves it from `completed` or `failed` to `pending`.
 */
export const videoTransitions = {
  pending: ['downloading', 'failed'],
  downloading: ['running', 'failed'],
  running: ['uploading', 'failed'],
  uploading: ['completed', 'failed'],
  completed: ['pending'],
  failed: ['pending'],
} as const;
export type VideoStatus = keyof typeof videoTransitions;

/** The end of a run for a new source that failed: the video is again what it was before (`restoreSource`). */
export const restoredVideoTransitions = {
  pending: ['completed', 'failed'],
  downloading: ['completed', 'failed'],
  running: ['completed', 'failed'],
  uploading: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const;

/**
 * The statuses of an output: `pending` when it is planned, `running` from the first encode job of the video that is
 * leased, `completed` when its manifests are written and its files checked. Outputs of one video complete and fail one
 * by one. A `completed` output keeps this status: a stream edit replaces its files in one write, and `builtByPlan` is
 * then the plan of the edit. A `failed` output is `pending` again when the video is processed again, or when its muxed
 * stream is edited.
 */
export const outputTransitions = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: ['pending'],
} as const;
export type OutputStatus = keyof typeof outputTransitions;

/**
 * The statuses of captions: `pending` while they are made from speech, `completed` with a file, `failed` when a track
 * of the source or its speech could not be used. Only `pending` ones change.
 */
export const captionStatuses = ['pending', 'completed', 'failed'] as const;

/**
 * The statuses of an ingest: `fetching` from the first lease of its job, `stored` when its video is created. Each end
 * is written in the transaction that ends its upload.
 */
export const ingestTransitions = {
  pending: ['fetching', 'failed'],
  fetching: ['stored', 'failed'],
  stored: [],
  failed: [],
} as const;
export type IngestStatus = keyof typeof ingestTransitions;

/**
 * The statuses of a storage delivery: `running` once the list of its files is made, `completed` when the storage has
 * all of them.
 */
export const storageDeliveryTransitions = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: [],
} as const;
export type StorageDeliveryStatus = keyof typeof storageDeliveryTransitions;

/**
 * The statuses of a stream: `pending` when it is planned or edited, `running` from the first encode job of the video
 * that is leased, `completed` when the first output that uses it completes, `failed` when one of its jobs or the last
 * of its outputs failed. The end of a stream edit follows `editedStreamTransitions` instead.
 */
export const streamTransitions = {
  pending: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: ['pending'],
  failed: ['pending'],
} as const;
export type StreamStatus = keyof typeof streamTransitions;

/**
 * How the end of a stream edit changes its stream. The outcome of the edit decides, also for a stream that one of the
 * edit's jobs has failed before: an earlier attempt at that job may still have delivered its result.
 */
export const editedStreamTransitions = {
  pending: ['completed', 'failed'],
  running: ['completed', 'failed'],
  completed: ['completed', 'failed'],
  failed: ['completed', 'failed'],
} as const;

/**
 * The statuses of a node: `pending` until all required steps have succeeded, `deploying` during a step, `active` while
 * it takes jobs or serves viewers. A `draining` or `deleting` node takes no new work. A `failed` node did not answer,
 * or its last step failed.
 */
export const nodeTransitions = {
  pending: ['deploying', 'deleting'],
  deploying: ['pending', 'active', 'failed'],
  active: ['deploying', 'draining', 'failed', 'pending', 'deleting'],
  draining: ['pending', 'failed', 'deleting'],
  failed: ['deploying', 'active', 'pending', 'deleting'],
  deleting: ['failed'],
} as const;
export type NodeStatus = keyof typeof nodeTransitions;

/**
 * The statuses of a job:
 *
 * - `QUEUED`: waits for a worker; a state of the state machine waits for its end, with a task token
 * - `LEASED`: a worker has a lease, or two have after a speculative lease
 * - `DONE`: a result is stored. It may come from an earlier lease, also when the job is queued again or has failed
 * - `FAILED`: the attempt failed or its lease expired. The state decides by the error whether to queue it again
 * - `CANCELLED`: its run has ended without it, or the video was deleted
 */
export const jobTransitions = {
  QUEUED: ['LEASED', 'DONE', 'CANCELLED'],
  LEASED: ['DONE', 'FAILED', 'CANCELLED'],
  // The probe job, when the video is processed again with `force`.
  DONE: ['CANCELLED'],
  FAILED: ['QUEUED', 'DONE'],
  CANCELLED: ['QUEUED'],
} as const;
export type JobStatus = keyof typeof jobTransitions;

type Transitions = Readonly<Record<string, readonly string[]>>;

const statusesOf = <Table extends Transitions>(table: Table) => Object.keys(table) as [keyof Table, ...(keyof Table)[]];

/** Whether viewers of a video need signed URLs. */
/** Why a video was deleted: a request, or the time at which it expires. */
export const deletionReasons = ['requested', 'expired'] as const;

export const playbackModes = ['signed', 'public'] as const;
export type PlaybackMode = (typeof playbackModes)[number];

export const videoStatuses = statusesOf(videoTransitions);
export const outputStatuses = statusesOf(outputTransitions);
export const streamStatuses = statusesOf(streamTransitions);
export const nodeStatuses = statusesOf(nodeTransitions);
export const ingestStatuses = statusesOf(ingestTransitions);
export const storageDeliveryStatuses = statusesOf(storageDeliveryTransitions);
export const jobStatuses = statusesOf(jobTransitions);

/** The statuses from which `to` may be reached: the condition of the write that moves a record there. */
export const statusesBefore = <Table extends Transitions>(table: Table, to: keyof Table): (keyof Table)[] =>
  Object.keys(table).filter((from) => table[from]?.includes(to as string));

export const isFinal = (status: VideoStatus | OutputStatus | StreamStatus): boolean =>
  status === 'completed' || status === 'failed';

/**
 * Of deliveries of webhooks.
 * - `pending`: the first attempt, or one that the owner asked for, is to be made
 * - `failed`: the last attempt failed, and another one is to be made
 * - `exhausted`: all attempts failed
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'exhausted'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
