import type { OperationContext } from './api/operation-context.ts';
import { parseDefinition } from './definition/check-definition.ts';
import type { Execution } from './execution/execution.ts';
import { execute } from './interpreter/run-execution.ts';
import type { Summary } from './journal/execution-store.ts';

/**
 * Runs an execution with the definition that it was started with, then moves it to the finished ones. Never rejects.
 */
export async function runToEnd(context: OperationContext, id: string, execution: Execution): Promise<void> {
  try {
    const machine = parseDefinition(context.store.definition(execution.definitionId));
    if (execution.status === 'RUNNING') await execute(execution, machine, context.services);
    execution.journal.close();
    if (execution.status === 'RUNNING') return;
    const summary = summarise(id, execution);
    context.store.finish(summary);
    context.registry.end(summary);
  } catch (error) {
    context.services.report(error);
  }
}

export function summarise(id: string, execution: Execution): Summary {
  const { arn, name, machineArn, definitionId, status, startMs, stopMs = startMs } = execution;
  const mapRuns = [...execution.mapRuns.values()].map(({ work: _, ...run }) =>
    // A map run that ended with its execution has no recorded end.
    run.status === 'RUNNING' ? { ...run, status: 'ABORTED' as const, stopMs } : run,
  );
  return { id, arn, name, machineArn, definitionId, status, startMs, stopMs, mapRuns };
}
