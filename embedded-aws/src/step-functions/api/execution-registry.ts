import { parseChildName } from '../execution/child-execution.ts';
import type { Execution, MapRun } from '../execution/execution.ts';
import type { MapRunRecord } from '../execution/map-run.ts';
import type { Store, Summary } from '../journal/execution-store.ts';
import { StepFunctionsError } from './step-functions-errors.ts';

/** An execution that StartExecution created. A running one has its state in memory, an ended one only its summary. */
export type Entry = { id: string; live: Execution } | { id: string; live?: never; ended: Summary };

export type Child = { entry: Entry; mapRun: MapRun | MapRunRecord; index: number };

export type Registry = {
  /** In the order of their start. */
  entries: Entry[];
  find(arn: string): Entry | undefined;
  add(entry: Entry): void;
  /** Replaces the state of an execution by that of its journal, or by its summary when it has ended. */
  replace(entry: Entry): void;
};

export function openRegistry(): Registry {
  const entries: Entry[] = [];
  const positions = new Map<string, number>();
  return {
    entries,
    find: (arn) => entries[positions.get(arn) ?? -1],
    add(entry) {
      positions.set(summaryOf(entry).arn, entries.length);
      entries.push(entry);
    },
    replace(entry) {
      const position = positions.get(summaryOf(entry).arn);
      if (position !== undefined) entries[position] = entry;
    },
  };
}

/** The properties that running and ended executions have in common. */
export function summaryOf(
  entry: Entry,
): Pick<Execution, 'arn' | 'name' | 'machineArn' | 'startMs' | 'status'> & { stopMs?: number } {
  return entry.live ?? entry.ended;
}

export function mapRunsOf(entry: Entry): Iterable<MapRun | MapRunRecord> {
  return entry.live ? entry.live.mapRuns.values() : entry.ended.mapRuns;
}

export function folderOf(entry: Entry, store: Store): string {
  return entry.live ? store.runningFolder(entry.id) : store.finishedFolder(entry.id);
}

export function findMapRun(registry: Registry, matches: (run: MapRunRecord) => boolean) {
  for (let position = registry.entries.length - 1; position >= 0; position--) {
    const entry = registry.entries[position]!;
    for (const mapRun of mapRunsOf(entry)) if (matches(mapRun)) return { entry, mapRun };
  }
  return undefined;
}

/** Finds an execution or child execution by ARN. @throws ExecutionDoesNotExist */
export function requireExecution(registry: Registry, arn: string): Entry | Child {
  const entry = registry.find(arn);
  if (entry) return entry;
  const name = parseChildName(arn.slice(arn.lastIndexOf(':') + 1));
  const found = name && findMapRun(registry, (run) => run.id === name.mapRunId);
  if (!found || !name || !childWasStarted(found.mapRun, name.index)) {
    throw new StepFunctionsError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`);
  }
  return { ...found, index: name.index };
}

export function isChild(found: Entry | Child): found is Child {
  return 'mapRun' in found;
}

function childWasStarted(mapRun: MapRun | MapRunRecord, index: number): boolean {
  const work = 'work' in mapRun ? mapRun.work : undefined;
  if (work) return work.running.has(index) || work.results[index] !== undefined;
  return index < (mapRun.executionCounts?.total ?? 0);
}
