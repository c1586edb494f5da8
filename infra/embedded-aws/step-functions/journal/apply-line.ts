import {
  type Execution,
  type Frame,
  newFrame,
  type OpenTask,
  type Outcome,
  type Visit,
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

/** What a line says of an execution's end; undefined when it is another line. */
export function endingOf(line: Line): Required<Pick<Execution, 'status' | 'stopMs' | 'outcome'>> | undefined {
  const status = ENDINGS[line.type];
  return status && { status, stopMs: line.atMs, outcome: outcomeOf(line) };
}

/** Takes one line into the execution's state: the same way when it happens and when it is read again. */
export function applyLine(execution: Execution, line: Line, frame = findFrame(execution, line.path)): void {
  if (line.id !== undefined) {
    execution.lastEventId = line.id;
    frame.lastEventId = line.id;
  }
  const ending = endingOf(line);
  if (ending) {
    Object.assign(execution, ending);
  } else if (line.type.endsWith('StateEntered')) {
    frame.visit = {
      name: line.details?.name as string,
      input: line.details?.input,
      enteredMs: line.atMs,
      retries: [],
    };
    frame.exit = undefined;
  } else if (line.type.endsWith('StateExited')) {
    frame.exit = { next: line.facts?.next as string | undefined, output: line.details?.output };
    Object.assign(frame.variables, line.details?.assignedVariables);
    frame.visit = undefined;
    frame.children.clear();
  } else if (frame.visit) {
    applyToVisit(execution, frame, frame.visit, line);
  }
}

function applyToVisit(execution: Execution, frame: Frame, visit: Visit, line: Line): void {
  switch (line.type) {
    case 'TaskScheduled':
    case 'LambdaFunctionScheduled':
      delete visit.retryAtMs;
      visit.task = {
        identity: identityOf(line),
        arguments: line.details?.parameters ?? line.details?.input,
        ...(line.facts as Partial<OpenTask>),
        heartbeatMs: line.atMs,
        submitted: false,
      };
      return;
    case 'TaskSubmitted':
      if (visit.task) visit.task.submitted = true;
      return;
    case 'TaskHeartbeat':
      if (visit.task) visit.task.heartbeatMs = line.atMs;
      return;
    case 'TaskSucceeded':
    case 'TaskFailed':
    case 'TaskTimedOut':
    case 'LambdaFunctionSucceeded':
    case 'LambdaFunctionFailed':
    case 'LambdaFunctionTimedOut':
      visit.outcome = outcomeOf(line);
      return;
    case 'WaitScheduled':
      visit.untilMs = line.facts?.untilMs as number;
      return;
    case 'ParallelStateStarted':
    case 'MapStateStarted':
      if (line.facts) visit.items = line.facts.items as unknown[];
      return;
    case 'MapRunStarted': {
      const run = line.facts?.run as MapRunRecord;
      visit.mapRunId = run.id;
      execution.mapRuns.set(run.id, { ...run });
      return;
    }
    case 'MapRunSucceeded':
    case 'MapRunFailed':
    case 'MapRunAborted':
      endMapRun(execution, visit, line);
      return;
    case 'RetryScheduled':
      scheduleRetry(frame, visit, line.facts?.retrier as number, line.facts?.retryAtMs as number);
  }
}

function endMapRun(execution: Execution, visit: Visit, line: Line): void {
  const run = execution.mapRuns.get(visit.mapRunId ?? '');
  if (!run) return;
  run.status = line.type.slice('MapRun'.length).toUpperCase() as MapRunRecord['status'];
  run.stopMs = line.atMs;
  Object.assign(run, line.facts?.counts);
  if (run.status !== 'ABORTED') visit.outcome = outcomeOf(line);
}

/** A retry starts the state over: only its input, its entry time and what was retried before stay. */
function scheduleRetry(frame: Frame, visit: Visit, retrier: number, retryAtMs: number): void {
  const retries = [...visit.retries];
  retries[retrier] = (retries[retrier] ?? 0) + 1;
  frame.visit = { name: visit.name, input: visit.input, enteredMs: visit.enteredMs, retries, retryAtMs };
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

/** The frame at a path; those on the way are made when they are not there yet. */
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
