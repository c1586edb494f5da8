import type { Item, Values } from '../dynalite/dynalite.ts';
import type { Change } from './database.ts';
import { itemSize } from './item-size.ts';

/** A range of whole keys of the database. */
export type KeyRange = { gt?: string; gte?: string; lt?: string; lte?: string; reverse: boolean; limit: number };

type Partition = { bytes: number; ranges: Map<string, Item[]> };

const maxBytes = 2 ** 20;
/** Larger results take longer than what the cache saves. */
const maxRangeBytes = 16 * 1024;
const maxPartitions = 1000;

export type QueryCache = ReturnType<typeof createQueryCache>;

/**
 * Keeps the results of small queries until an item of their partition is written. Only queries of one partition key of
 * a table or index are kept. LevelDB reads ranges in another thread: on a machine whose cores are busy, the switch
 * between the threads takes several times as long as the read.
 */
export function createQueryCache() {
  /** The partition that was read last is the last one. */
  const partitions = new Map<string, Partition>();
  /** How many commits of each partition are running. During these it has no place in the cache. */
  const commits = new Map<string, number>();
  let bytes = 0;

  function forget(name: string): void {
    bytes -= partitions.get(name)?.bytes ?? 0;
    partitions.delete(name);
  }

  /** Gives a partition the last place in the cache. */
  function touch(name: string): Partition {
    const partition = partitions.get(name) ?? { bytes: 0, ranges: new Map() };
    partitions.delete(name);
    partitions.set(name, partition);
    return partition;
  }

  function keep(name: string, partition: Partition, range: string, items: Item[]): void {
    // It was written after the read began.
    if (partitions.get(name) !== partition || partition.ranges.has(range)) return;
    const size = 2 * range.length + items.reduce((sum, item) => sum + itemSize(item), 0);
    if (size > maxRangeBytes) return;
    partition.ranges.set(range, items);
    partition.bytes += size;
    bytes += size;
    for (const oldest of partitions.keys()) {
      if (bytes <= maxBytes && partitions.size <= maxPartitions) break;
      forget(oldest);
    }
  }

  return {
    /** The values of a range in the present state. The caller must not change them. */
    openValues(range: KeyRange, open: () => Values): Values {
      const name = partitionOfRange(range);
      if (name === undefined || commits.has(name)) return open();
      const partition = touch(name);
      const text = JSON.stringify(range);
      const kept = partition.ranges.get(text);
      if (kept) return valuesOf(kept);
      return recorded(open(), range.limit, (items) => keep(name, partition, text, items));
    },

    /** Forgets everything, because tables were replaced. */
    clear(): void {
      partitions.clear();
      bytes = 0;
    },

    /** Runs the commit of changes: queries of their partitions read the database until it has ended. */
    async duringCommit(changes: readonly Change[], work: () => Promise<void>): Promise<void> {
      const names = new Set(changes.flatMap(({ key }) => partitionOfKey(key) ?? []));
      for (const name of names) {
        commits.set(name, (commits.get(name) ?? 0) + 1);
        forget(name);
      }
      try {
        await work();
      } finally {
        for (const name of names) {
          const left = commits.get(name)! - 1;
          if (left > 0) commits.set(name, left);
          else commits.delete(name);
        }
      }
    },
  };
}

/** Keys are `<table or index>~<hash>/<partition key>/<sort key>/…`, and none of these parts has a slash. */
function partitionOfKey(key: string): string | undefined {
  const slash = key.indexOf('/', key.indexOf('/') + 1);
  return slash < 0 ? undefined : key.slice(0, slash + 1);
}

function partitionOfRange({ gt, gte = gt, lt, lte = lt }: KeyRange): string | undefined {
  const partition = gte === undefined ? undefined : partitionOfKey(gte);
  return partition !== undefined && lte?.startsWith(partition) ? partition : undefined;
}

function valuesOf(items: readonly Item[]): Values {
  let position = 0;
  return {
    async nextv(size) {
      const batch = items.slice(position, position + size);
      position += batch.length;
      return batch;
    },
    async close() {},
  };
}

/** Passes values on. When all of a range have been read, `onComplete` gets them. */
function recorded(values: Values, limit: number, onComplete: (items: Item[]) => void): Values {
  const items: Item[] = [];
  let isComplete = false;
  return {
    async nextv(size) {
      const batch = (await values.nextv(size)) as Item[];
      items.push(...batch);
      isComplete = batch.length === 0 || items.length === limit;
      return batch;
    },
    async close() {
      await values.close();
      if (isComplete) onComplete(items);
    },
  };
}
