import { db, type Item, type Table } from '../dynalite/dynalite.ts';
import type { CapacityUse } from './capacity-units.ts';
import type { ChangeStreams } from './change-streams.ts';
import { type Database, itemPrefix } from './database.ts';
import type { IndexLag } from './index-lag.ts';
import type { PartitionLimits } from './partition-limits.ts';
import type { QueryCache } from './query-cache.ts';
import type { RunningItems } from './running-items.ts';
import type { Tables } from './table-definitions.ts';

/** What every operation works on. */
export type DynamoContext = {
  database: Database;
  tables: Tables;
  region: string;
  nowMs: () => number;
  /** Runs `work` while no other write runs. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  running: RunningItems;
  streams: ChangeStreams;
  queryCache: QueryCache;
  /** Only with chaos. */
  indexLag?: IndexLag | undefined;
  partitionLimits?: PartitionLimits | undefined;
  /** Receives the capacity units of each request. */
  meter?: CapacityMeter | undefined;
};

/** `callerArn` is undefined inside of an operation. */
export type CapacityMeter = (operation: string, uses: readonly CapacityUse[], callerArn?: string) => void;

/** Reads an item. `key` is its key, or an item with the same key. */
export function readItem({ database }: DynamoContext, table: Table, key: Item): Item | undefined {
  return database.getSync(itemPrefix(table.TableName) + db.createKey(key, table)) as Item | undefined;
}
