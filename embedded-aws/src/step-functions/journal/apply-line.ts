import {
  type ActiveState,
  type Execution,
  type Frame,
  newFrame,
  type OpenTask,
  type Outcome,
} from '../execution/execution.ts';
import type { ExecutionStatus } from '../execution/execution-status.ts';
import type { Line } from '../execution/journal-line.ts';
import type { MapRunRecord } from '../execution/map-run.ts';

const ENDINGS: Record<string, ExecutionStatus> = {
  ExecutionSucceeded: 'SUCCEEDED',
  ExecutionFailed: 'FAILED',
  ExecutionTimedOut: 'TIMED_OUT',
  ExecutionAborted: 'ABORTED',
};

/** The end of the execution that a line records. Undefined for other lines. */
export function endingOf(line: Line): Required<Pick<Execution, 'status' | 'stopMs' | 'outcome'>> | undefined {
  const status = ENDINGS[line.type];
  return status && { status, stopMs: line.atMs, outcome: outcomeOf(line) };
}

/** Applies one line to the state of the execution, both when the line is written and when the journal is replayed. */
export function applyLine(execution: Execution, line: Line, frame = findFrame(execution, line.path)): void {
  if (line.id !== undefined) {
    execution.lastEventId = line.id;
    frame.lastEventId = line.id;
  }
  const ending = endingOf(line);
  if (ending) {
    Object.assign(execution, ending);
  } else if (line.type.endsWith('StateEntered')) {
    frame.activeState = {
      name: line.details?.name as string,
      input: line.details?.input,
      enteredMs: line.atMs,
      retries: [],
    };
    frame.exit = undefined;
  } else if (line.type.endsWith('StateExited')) {
    frame.exit = { next: line.facts?.next as string | undefined, output: line.details?.output };
    Object.assign(frame.variables, line.details?.assignedVariables);
    frame.activeState = undefined;
    frame.children.clear();
  } else if (frame.activeState) {
    applyToActiveState(execution, frame, frame.activeState, line);
  }
}

function applyToActiveState(execution: Execution, frame: Frame, activeState: ActiveState, line: Line): void {
  switch (line.type) {
    case 'TaskScheduled':
    case 'LambdaFunctionScheduled':
      delete activeState.retryAtMs;
      activeState.task = {
        identity: identityOf(line),
        arguments: line.details?.parameters ?? line.details?.input,
        ...(line.facts as Partial<OpenTask>),
        heartbeatMs: line.atMs,
        submitted: false,
      };
      return;
    case 'TaskSubmitted':
      if (activeState.task) activeState.task.submitted = true;
      return;
    case 'TaskHeartbeat':
      if (activeState.task) activeState.task.heartbeatMs = line.atMs;
      return;
    case 'TaskSucceeded':
    case 'TaskFailed':
    case 'TaskTimedOut':
    case 'LambdaFunctionSucceeded':
    case 'LambdaFunctionFailed':
    case 'LambdaFunctionTimedOut':
      activeState.outcome = outcomeOf(line);
      return;
    case 'WaitScheduled':
      activeState.untilMs = line.facts?.untilMs as number;
      return;
    case 'ParallelStateStarted':
    case 'MapStateStarted':
      if (line.facts) activeState.items = line.facts.items as unknown[];
      return;
    case 'MapRunStarted': {
      const run = line.facts?.run as MapRunRecord;
      activeState.mapRunId = run.id;
      execution.mapRuns.set(run.id, { ...run });
      return;
    }
    case 'MapRunSucceeded':
    case 'MapRunFailed':
    case 'MapRunAborted':
      endMapRun(execution, activeState, line);
      return;
    case 'RetryScheduled':
      scheduleRetry(frame, activeState, line.facts?.retrier as number, line.facts?.retryAtMs as number);
  }
}

function endMapRun(execution: Execution, activeState: ActiveState, line: Line): void {
  const run = execution.mapRuns.get(activeState.mapRunId ?? '');
  if (!run) return;
  run.status = line.type.slice('MapRun'.length).toUpperCase() as MapRunRecord['status'];
  run.stopMs = line.atMs;
  Object.assign(run, line.facts?.counts);
  if (run.status !== 'ABORTED') activeState.outcome = outcomeOf(line);
}

/** A retry restarts the state: only its input, its entry time and the retry counts are kept. */
function scheduleRetry(frame: Frame, activeState: ActiveState, retrier: number, retryAtMs: number): void {
  const retries = [...activeState.retries];
  retries[retrier] = (retries[retrier] ?? 0) + 1;
  frame.activeState = {
    name: activeState.name,
    input: activeState.input,
    enteredMs: activeState.enteredMs,
    retries,
    retryAtMs,
  };
  frame.children.clear();
}

function identityOf({ details = {} }: Line): Record<string, unknown> {
  const { resourceType, resource } = details;
  return resourceType === undefined ? {} : { resourceType, resource };
}

function outcomeOf(line: Line): Outcome {
  const details = line.details ?? {};
  const output = 'output' in details ? details.output : line.facts?.output;
  if (output !== undefined) return { output };
  return { error: (details.error as string | undefined) ?? '', cause: details.cause as string | undefined };
}

/** Returns the frame at a path, and creates the missing frames on the path. */
export function findFrame(execution: Execution, path: string): Frame {
  let frame = execution.root;
  if (path === '') return frame;
  for (const index of path.split('.').map(Number)) {
    let child = frame.children.get(index);
    if (!child) {
      child = newFrame(frame.path === '' ? String(index) : `${frame.path}.${index}`, frame.lastEventId);
      frame.children.set(index, child);
    }
    frame = child;
  }
  return frame;
}
