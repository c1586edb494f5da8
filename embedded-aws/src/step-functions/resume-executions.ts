import type { OperationContext } from './api/operation-context.ts';
import type { Execution } from './execution/execution.ts';
import { loadExecution } from './journal/load-execution.ts';
import { openTokens } from './open-tokens.ts';
import { summarise } from './run-to-end.ts';

/**
 * Restores the list of executions and continues those that have not ended. An execution that cannot be read is moved
 * away and reported; it does not affect the others.
 */
export async function resume(context: OperationContext): Promise<void> {
  const { store, registry } = context;
  const ended = [...store.summaries(), ...(await unlisted(context))].map((summary) => ({
    id: summary.id,
    startMs: summary.startMs,
    entry: { id: summary.id, ended: summary },
  }));
  const live = (await loadRunning(context)).map(({ id, execution }) => ({
    id,
    startMs: execution.startMs,
    entry: { id, live: execution },
  }));
  // A process that was killed between writing the summary and moving the folder leaves both.
  const unfinished = new Set(live.map(({ id }) => id));
  const all = [...ended.filter(({ id }) => !unfinished.has(id)), ...live];
  for (const { entry } of all.sort((one, other) => one.startMs - other.startMs)) registry.add(entry);

  // All tokens are registered before any execution continues, because callers may send results at once.
  for (const { entry } of live) openTokens(context.services, entry.live);
  for (const { id, entry } of live) context.run(id, entry.live);
}

async function loadRunning({ store, services }: OperationContext): Promise<{ id: string; execution: Execution }[]> {
  const loaded: { id: string; execution: Execution }[] = [];
  for (const id of store.runningIds()) {
    try {
      const execution = await loadExecution(store.runningFolder(id));
      if (execution) loaded.push({ id, execution });
      else store.discard(id);
    } catch (error) {
      services.report(
        new Error(`The execution in ${store.quarantine(id)} cannot be read: ${(error as Error).message}`),
      );
    }
  }
  return loaded;
}

async function unlisted({ store, services }: OperationContext) {
  const summaries = [];
  for (const id of store.unlistedIds()) {
    const execution = await loadExecution(store.finishedFolder(id)).catch((error: Error) =>
      services.report(new Error(`The ended execution ${id} cannot be read: ${error.message}`)),
    );
    execution?.journal.close();
    if (!execution) continue;
    const summary = summarise(id, execution);
    store.list(summary);
    summaries.push(summary);
  }
  return summaries;
}
