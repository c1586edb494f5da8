import type { ExecutionStatus } from './execution-status.ts';
import type { Journal } from './journal-line.ts';
import type { ChildInput, ChildResult, MapItem, MapRunRecord } from './map-run.ts';
import { createStopSignal, type StopSignal } from './stop-signal.ts';

export type Outcome = { output: unknown } | { error: string; cause: string | undefined };

/** A task that was scheduled and has no outcome yet. */
export type OpenTask = {
  /** Details that all events of the task contain. */
  identity: Record<string, unknown>;
  arguments: unknown;
  token?: string;
  deadlineMs?: number;
  heartbeatSeconds?: number;
  heartbeatMs: number;
  /** A task with a token was submitted and must not be submitted again. */
  submitted: boolean;
  /** Called when the task changes. Not stored: it belongs to the waiting code of this process. */
  onChange?: () => void;
};

/** The state that is being executed. */
export type ActiveState = {
  name: string;
  input: unknown;
  enteredMs: number;
  /** The number of retries by each retrier. */
  retries: number[];
  retryAtMs?: number;
  untilMs?: number;
  items?: unknown[];
  mapRunId?: string;
  task?: OpenTask;
  outcome?: Outcome;
};

/**
 * The position in one flow of states: that of the execution, of a Parallel branch, or of an iteration of an inline Map.
 */
export type Frame = {
  path: string;
  variables: Record<string, unknown>;
  activeState?: ActiveState | undefined;
  /** The last state that was completed. Without `next` the flow has ended. */
  exit?: { next: string | undefined; output: unknown } | undefined;
  children: Map<number, Frame>;
  lastEventId: number;
};

/** A running execution. Everything that must survive a restart is changed by `applyLine` only. */
export type Execution = {
  arn: string;
  name: string;
  machineArn: string;
  machineName: string;
  /** The version of the definition that the execution was started with. */
  definitionId: string;
  child?: string;
  mapItem?: MapItem;
  /** The text that the caller sent. */
  inputText: string;
  input: unknown;
  startMs: number;
  stopMs?: number;
  status: ExecutionStatus;
  outcome?: Outcome;
  root: Frame;
  lastEventId: number;
  /** The map runs of this execution and of all executions below it, in one map that they share. */
  mapRuns: Map<string, MapRun>;
  /** Contains the journals of the execution and its map runs. */
  folder: string;
  journal: Journal;
  stop: StopSignal;
};

/** The state of a running map run. It is released when the map run ends. */
export type MapRunWork = {
  journal: Journal;
  inputs: ChildInput[];
  results: (ChildResult | undefined)[];
  running: Map<number, Execution>;
};

export type MapRun = MapRunRecord & { work?: MapRunWork | undefined };

export type ExecutionIdentity = Pick<
  Execution,
  'arn' | 'name' | 'machineArn' | 'machineName' | 'definitionId' | 'inputText' | 'startMs'
> & { child?: string; mapItem?: MapItem };

export function newExecution(
  identity: ExecutionIdentity,
  stored: Pick<Execution, 'folder' | 'journal'> & Partial<Pick<Execution, 'mapRuns'>>,
): Execution {
  return {
    mapRuns: new Map(),
    ...identity,
    ...stored,
    input: JSON.parse(identity.inputText),
    status: 'RUNNING',
    root: newFrame(''),
    lastEventId: 0,
    stop: createStopSignal(),
  };
}

export function newFrame(path: string, lastEventId = 0): Frame {
  return { path, variables: {}, children: new Map(), lastEventId };
}
