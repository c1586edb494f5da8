import type { OperationContext } from './api/operation-context.ts';
import { parseDefinition } from './definition/check-definition.ts';
import type { Execution } from './execution/execution.ts';
import { sleepUntil } from './execution/sleep-until.ts';
import { ShuttingDown } from './execution/state-failure.ts';
import { execute } from './interpreter/run-execution.ts';
import type { Summary } from './journal/execution-store.ts';
import { loadExecution } from './journal/load-execution.ts';
import { openTokens } from './open-tokens.ts';

/** Between two attempts to continue an execution whose journal cannot be written. */
const retryMs = 5000;

/**
 * Runs an execution with the definition that it was started with, then moves it to the finished ones. Never rejects.
 */
export async function runToEnd(context: OperationContext, id: string, execution: Execution): Promise<void> {
  try {
    const machine = parseDefinition(context.store.definition(execution.definitionId));
    let current = execution;
    for (;;) {
      if (current.status === 'RUNNING') await execute(current, machine, context.services);
      current.journal.close();
      if (current.status !== 'RUNNING') break;
      if (!context.isOpen()) return;
      current = await reload(context, id);
      await pause(current, context);
    }
    const summary = summarise(id, current);
    context.store.finish(summary);
    context.registry.replace({ id, ended: summary });
  } catch (error) {
    context.services.report(error);
  }
}

/** After a failed write to its journal, an execution continues from what the journal has, as after a restart. */
async function reload({ store, registry, services, isOpen }: OperationContext, id: string): Promise<Execution> {
  const execution = await loadExecution(store.runningFolder(id));
  if (!execution) throw new Error(`The journal of the execution ${id} is empty.`);
  registry.replace({ id, live: execution });
  openTokens(services, execution);
  if (!isOpen()) execution.stop.stop(new ShuttingDown());
  return execution;
}

/** Ends early when the execution or the service is stopped. */
const pause = ({ stop }: Execution, { services: { clock } }: OperationContext): Promise<void> =>
  sleepUntil(clock, clock.now() + retryMs, stop).catch(() => {});

export function summarise(id: string, execution: Execution): Summary {
  const { arn, name, machineArn, definitionId, status, startMs, stopMs = startMs } = execution;
  const mapRuns = [...execution.mapRuns.values()].map(({ work: _, ...run }) =>
    // A map run that ended with its execution has no recorded end.
    run.status === 'RUNNING' ? { ...run, status: 'ABORTED' as const, stopMs } : run,
  );
  return { id, arn, name, machineArn, definitionId, status, startMs, stopMs, mapRuns };
}
