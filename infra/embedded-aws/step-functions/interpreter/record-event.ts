import type { Execution, Frame } from '../execution/execution.ts';
import type { Line } from '../execution/journal-line.ts';
import { Halted, StateFailure } from '../execution/state-failure.ts';
import { applyLine } from '../journal/apply-line.ts';
import type { Run } from './interpreter-context.ts';

/** The service ends a standard execution at this many events, so a flow that fits here fits there. */
export const MAX_EVENTS = 25_000;

type Recorder = Pick<Run, 'execution' | 'stop' | 'services'>;

/** Adds a history event, and takes it into the execution's state. Throws Halted when the work was stopped. */
export function record(
  run: Recorder,
  frame: Frame,
  type: string,
  details?: Record<string, unknown>,
  facts?: Record<string, unknown>,
): void {
  refuseHalted(run);
  if (run.execution.lastEventId >= MAX_EVENTS - 1) {
    throw new StateFailure(
      'States.Runtime',
      `The execution reached the maximum number of history events (${MAX_EVENTS}).`,
    );
  }
  appendEvent(run.execution, frame, type, run.services.clock.now(), details, facts);
}

/** Adds what only a restart needs to know. */
export function note(run: Recorder, frame: Frame, type: string, facts?: Record<string, unknown>): void {
  refuseHalted(run);
  appendLine(run.execution, frame, { path: frame.path, type, atMs: run.services.clock.now(), ...(facts && { facts }) });
}

/** Adds an event whatever was stopped; only for an execution's or a map run's own beginning and end. */
export function appendEvent(
  execution: Execution,
  frame: Frame,
  type: string,
  atMs: number,
  details?: Record<string, unknown>,
  facts?: Record<string, unknown>,
): void {
  appendLine(execution, frame, {
    path: frame.path,
    type,
    atMs,
    id: execution.lastEventId + 1,
    previousId: frame.lastEventId,
    ...(details && { details }),
    ...(facts && { facts }),
  });
}

function appendLine(execution: Execution, frame: Frame, line: Line): void {
  const owned = execution.child === undefined ? line : { child: execution.child, ...line };
  execution.journal.append(owned);
  applyLine(execution, owned, frame);
}

function refuseHalted(run: Recorder): void {
  if (run.stop.reason) throw run.stop.reason;
  if (run.execution.status !== 'RUNNING') throw new Halted();
}
