import type { Desk } from './api/operation-context.ts';
import type { Execution, MapRun } from './execution/execution.ts';
import { framesOf, loadExecution } from './journal/load-execution.ts';
import { summarise } from './run-to-end.ts';

/** Lists what has ended and goes on with what has not. One that cannot be read is put aside, reported, and stops no other. */
export async function resume(desk: Desk): Promise<void> {
  const { store, registry } = desk;
  const ended = [...store.summaries(), ...(await unlisted(desk))].map((summary) => ({
    id: summary.id,
    startMs: summary.startMs,
    entry: { id: summary.id, ended: summary },
  }));
  const live = (await loadRunning(desk)).map(({ id, execution }) => ({
    id,
    startMs: execution.startMs,
    entry: { id, live: execution },
  }));
  // A crash between listing and moving leaves an execution in both places.
  const unfinished = new Set(live.map(({ id }) => id));
  const all = [...ended.filter(({ id }) => !unfinished.has(id)), ...live];
  for (const { entry } of all.sort((one, other) => one.startMs - other.startMs)) registry.add(entry);

  // Every token is known before anything runs: its holder may answer the moment this is open.
  for (const { entry } of live) openTokens(desk, entry.live);
  for (const { id, entry } of live) desk.run(id, entry.live);
}

async function loadRunning({ store, services }: Desk): Promise<{ id: string; execution: Execution }[]> {
  const loaded: { id: string; execution: Execution }[] = [];
  for (const id of store.runningIds()) {
    try {
      const execution = await loadExecution(store.runningFolder(id));
      if (execution) loaded.push({ id, execution });
      else store.discard(id);
    } catch (error) {
      services.report(new Error(`the execution in ${store.setAside(id)} cannot be read: ${(error as Error).message}`));
    }
  }
  return loaded;
}

async function unlisted({ store }: Desk) {
  const summaries = [];
  for (const id of store.unlistedIds()) {
    const execution = await loadExecution(store.finishedFolder(id));
    execution?.journal.close();
    if (!execution) continue;
    const summary = summarise(id, execution);
    store.list(summary);
    summaries.push(summary);
  }
  return summaries;
}

function openTokens(desk: Desk, execution: Execution): void {
  const { services } = desk;
  for (const frame of framesOf(execution.root)) {
    const { visit } = frame;
    if (!visit || visit.outcome) continue;
    const run = { execution, stop: execution.stop, services };
    if (visit.task?.token !== undefined) services.tokens.open(visit.task.token, { run, frame });
    const mapRun: MapRun | undefined = execution.mapRuns.get(visit.mapRunId ?? '');
    for (const child of mapRun?.work?.running.values() ?? []) openTokens(desk, child);
  }
}
