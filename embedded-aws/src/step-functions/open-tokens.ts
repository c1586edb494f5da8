import type { Execution, MapRun } from './execution/execution.ts';
import type { InterpreterServices } from './interpreter/interpreter-context.ts';
import { framesOf } from './journal/load-execution.ts';

/** Registers the tokens of all tasks of a loaded execution. Callers may send results before it continues. */
export function openTokens(services: InterpreterServices, execution: Execution): void {
  for (const frame of framesOf(execution.root)) {
    const { activeState } = frame;
    if (!activeState || activeState.outcome) continue;
    const run = { execution, stop: execution.stop, services };
    if (activeState.task?.token !== undefined) services.tokens.register(activeState.task.token, { run, frame });
    const mapRun: MapRun | undefined = execution.mapRuns.get(activeState.mapRunId ?? '');
    for (const child of mapRun?.work?.running.values() ?? []) openTokens(services, child);
  }
}
