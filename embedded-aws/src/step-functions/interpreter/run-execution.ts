import type { Flow, StateMachineDefinition } from '../definition/asl-types.ts';
import type { Execution } from '../execution/execution.ts';
import { Interrupted, ShuttingDown, StateFailure } from '../execution/state-failure.ts';
import { JournalFailure } from '../journal/journal-file.ts';
import type { InterpreterServices } from './interpreter-context.ts';
import { appendEvent } from './record-event.ts';

/** Runs an execution from its current state. Resolves when it has ended or when a shutdown interrupted it. */
export async function execute(
  execution: Execution,
  machine: Flow | StateMachineDefinition,
  services: InterpreterServices,
): Promise<void> {
  const cancelTimeout = armTimeout(execution, machine, services);
  try {
    const run = { execution, machine, stop: execution.stop, services };
    const scope = { variables: {}, mapItem: execution.mapItem };
    const output = await services.runFlow(run, execution.root, machine, scope, execution.input);
    endExecution(execution, services, 'ExecutionSucceeded', { output });
  } catch (reason) {
    endFailed(execution, services, reason);
  } finally {
    cancelTimeout();
  }
}

/** Records the end and stops all running work. Does nothing when the execution has already ended. */
export function endExecution(
  execution: Execution,
  services: InterpreterServices,
  type: 'ExecutionSucceeded' | 'ExecutionFailed' | 'ExecutionTimedOut' | 'ExecutionAborted',
  details: Record<string, unknown>,
): void {
  if (execution.status !== 'RUNNING') return;
  appendEvent(execution, execution.root, type, services.clock.now(), details);
  execution.stop.stop(new Interrupted());
}

function endFailed(execution: Execution, services: InterpreterServices, reason: unknown): void {
  if (reason instanceof Interrupted) return;
  try {
    if (reason instanceof JournalFailure) throw reason;
    const failure =
      reason instanceof StateFailure
        ? reason
        : new StateFailure('States.Runtime', (reason as Error)?.stack ?? String(reason));
    endExecution(execution, services, 'ExecutionFailed', { error: failure.error, cause: failure.errorCause });
  } catch (error) {
    // The journal is intact, so the execution can continue from it.
    services.report(error);
    execution.stop.stop(new ShuttingDown());
  }
}

function armTimeout(
  execution: Execution,
  machine: Flow | StateMachineDefinition,
  services: InterpreterServices,
): () => void {
  if (!('TimeoutSeconds' in machine) || machine.TimeoutSeconds === undefined) return () => {};
  const cancel = services.clock.wakeAt(execution.startMs + machine.TimeoutSeconds * 1000, () => {
    try {
      endExecution(execution, services, 'ExecutionTimedOut', { error: 'States.Timeout' });
    } catch (error) {
      services.report(error);
    }
  });
  const forget = execution.stop.onStop(cancel);
  return () => {
    forget();
    cancel();
  };
}
