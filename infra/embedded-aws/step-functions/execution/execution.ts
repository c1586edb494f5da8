import type { ExecutionStatus } from './execution-status.ts';
import type { Journal } from './journal-line.ts';
import type { ChildInput, ChildResult, MapItem, MapRunRecord } from './map-run.ts';
import { openStop, type Stop } from './stop-signal.ts';

export type Outcome = { output: unknown } | { error: string; cause: string | undefined };

/** A Task that was scheduled and has no outcome yet. */
export type OpenTask = {
  /** What all events of the task tell. */
  identity: Record<string, unknown>;
  arguments: unknown;
  token?: string;
  deadlineMs?: number;
  heartbeatSeconds?: number;
  heartbeatMs: number;
  /** A task with a token was handed over: it must not be handed over again. */
  submitted: boolean;
  /** Set by whoever waits for the outcome; it lives in this process only. */
  onChange?: () => void;
};

/** The state a flow is in. */
export type Visit = {
  name: string;
  input: unknown;
  enteredMs: number;
  /** How often each retrier was used. */
  retries: number[];
  retryAtMs?: number;
  untilMs?: number;
  items?: unknown[];
  mapRunId?: string;
  task?: OpenTask;
  outcome?: Outcome;
};

/** Where one flow of states is: the execution's own, a Parallel branch or an iteration of an inline Map. */
export type Frame = {
  path: string;
  variables: Record<string, unknown>;
  visit?: Visit | undefined;
  /** The state that was left last. Without `next`, the flow is at its end. */
  exit?: { next: string | undefined; output: unknown } | undefined;
  children: Map<number, Frame>;
  lastEventId: number;
};

/** An execution that has not ended, or is about to be closed. Only `applyLine` changes what a restart has to find again. */
export type Execution = {
  arn: string;
  name: string;
  machineArn: string;
  machineName: string;
  /** The version of the definition it started with. */
  definitionId: string;
  child?: string;
  mapItem?: MapItem;
  /** As the caller wrote it. */
  inputText: string;
  input: unknown;
  startMs: number;
  stopMs?: number;
  status: ExecutionStatus;
  outcome?: Outcome;
  root: Frame;
  lastEventId: number;
  /** Those of the execution, its children and theirs: one map for all of them. */
  mapRuns: Map<string, MapRun>;
  /** Where the journals of all of them are. */
  folder: string;
  journal: Journal;
  stop: Stop;
};

/** The moving parts of a map run; they are let go when it ends. */
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
  place: Pick<Execution, 'folder' | 'journal'> & Partial<Pick<Execution, 'mapRuns'>>,
): Execution {
  return {
    mapRuns: new Map(),
    ...identity,
    ...place,
    input: JSON.parse(identity.inputText),
    status: 'RUNNING',
    root: newFrame(''),
    lastEventId: 0,
    stop: openStop(),
  };
}

export function newFrame(path: string, lastEventId = 0): Frame {
  return { path, variables: {}, children: new Map(), lastEventId };
}
