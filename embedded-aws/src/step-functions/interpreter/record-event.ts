import type { Execution, Frame } from '../execution/execution.ts';
import type { Line } from '../execution/journal-line.ts';
import { Interrupted, StateFailure } from '../execution/state-failure.ts';
import { applyLine } from '../journal/apply-line.ts';
import type { Run } from './interpreter-context.ts';

/** The limit of Step Functions on the history events of a standard execution. */
export const MAX_EVENTS = 25_000;

type Recorder = Pick<Run, 'execution' | 'stop' | 'services'>;

/**
 * Appends a history event and applies it to the state of the execution.
 * @throws Interrupted when the work was stopped
 */
export function record(
  run: Recorder,
  frame: Frame,
  type: string,
  details?: Record<string, unknown>,
  extra?: Record<string, unknown>,
): void {
  requireNotStopped(run);
  if (run.execution.lastEventId >= MAX_EVENTS - 1) {
    throw new StateFailure(
      'States.Runtime',
      `The execution reached the maximum number of history events (${MAX_EVENTS}).`,
    );
  }
  appendEvent(run.execution, frame, type, run.services.clock.now(), details, extra);
}

/** Appends a record that is not part of the history and that only a restart needs. */
export function recordInternal(run: Recorder, frame: Frame, type: string, extra?: Record<string, unknown>): void {
  requireNotStopped(run);
  appendLine(run.execution, frame, {
    path: frame.path,
    type,
    atMs: run.services.clock.now(),
    ...(extra && { facts: extra }),
  });
}

/** Appends an event even if the work was stopped. Only for the start and the end of executions and map runs. */
export function appendEvent(
  execution: Execution,
  frame: Frame,
  type: string,
  atMs: number,
  details?: Record<string, unknown>,
  extra?: Record<string, unknown>,
): void {
  appendLine(execution, frame, {
    path: frame.path,
    type,
    atMs,
    id: execution.lastEventId + 1,
    previousId: frame.lastEventId,
    ...(details && { details }),
    ...(extra && { facts: extra }),
  });
}

function appendLine(execution: Execution, frame: Frame, line: Line): void {
  const owned = execution.child === undefined ? line : { child: execution.child, ...line };
  execution.journal.append(owned);
  applyLine(execution, owned, frame);
}

function requireNotStopped(run: Recorder): void {
  if (run.stop.reason) throw run.stop.reason;
  if (run.execution.status !== 'RUNNING') throw new Interrupted();
}
