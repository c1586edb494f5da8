import type { Desk } from './api/operation-context.ts';
import { parseDefinition } from './definition/check-definition.ts';
import type { Execution } from './execution/execution.ts';
import { execute } from './interpreter/run-execution.ts';
import type { Summary } from './journal/execution-store.ts';

/** Runs an execution with the definition it started with, and puts it away when it has ended. Never rejects. */
export async function runToItsEnd(desk: Desk, id: string, execution: Execution): Promise<void> {
  try {
    const machine = parseDefinition(desk.store.definition(execution.definitionId));
    if (execution.status === 'RUNNING') await execute(execution, machine, desk.services);
    execution.journal.close();
    if (execution.status === 'RUNNING') return;
    const summary = summarise(id, execution);
    desk.store.finish(summary);
    desk.registry.end(summary);
  } catch (error) {
    desk.services.report(error);
  }
}

export function summarise(id: string, execution: Execution): Summary {
  const { arn, name, machineArn, definitionId, status, startMs, stopMs = startMs } = execution;
  const mapRuns = [...execution.mapRuns.values()].map(({ work: _, ...run }) =>
    // One that was cut off with its execution has no end of its own.
    run.status === 'RUNNING' ? { ...run, status: 'ABORTED' as const, stopMs } : run,
  );
  return { id, arn, name, machineArn, definitionId, status, startMs, stopMs, mapRuns };
}
