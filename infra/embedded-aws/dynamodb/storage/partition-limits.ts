import type { Item, Table } from 'dynalite/db/index.js';
import db from 'dynalite/db/index.js';
import { ServiceError } from '../../control/json-protocol.ts';
import { type Change, indexPrefix, itemPrefix } from './database.ts';
import type { DynamoChaos } from './dynamo-chaos.ts';

export const THROTTLED = 'com.amazonaws.dynamodb.v20120810#ThrottlingException';

type Kind = 'read' | 'write';
type Use = { kind: Kind; second: number; units: number; peak: number; throttled: number };

export type PartitionLimits = ReturnType<typeof createPartitionLimits>;

/**
 * Counts the units that each partition key of tables and indexes uses in a second, and throttles what exceeds the
 * limits.
 */
export function createPartitionLimits(chaos: DynamoChaos, nowMs: () => number) {
  const uses = new Map<string, Use>();
  const limits = { read: chaos.readUnitsPerSecond, write: chaos.writeUnitsPerSecond };

  function consume(kind: Kind, partition: string, units: number): void {
    const name = `${partition} (${kind})`;
    const second = Math.floor(nowMs() / 1000);
    const use = uses.get(name) ?? { kind, second, units: 0, peak: 0, throttled: 0 };
    uses.set(name, use);
    if (use.second !== second) Object.assign(use, { second, units: 0 });
    if (use.units >= limits[kind]) {
      use.throttled += 1;
      throw new ServiceError(
        THROTTLED,
        `Throughput exceeds the limit of the partition key: ${limits[kind]} ${kind} units a second`,
      );
    }
    use.units += units;
    use.peak = Math.max(use.peak, use.units);
  }

  return {
    /** @param factor the units for each KB: 2 in a transaction */
    write(table: Table, changes: readonly Change[], factor: number): void {
      for (const change of changes) {
        if (change.type !== 'put') continue;
        const found = partitionOf(table, change.key, change.value as Item);
        if (found) consume('write', found, factor * Math.ceil(db.itemSize(change.value as Item) / 1024));
      }
    },
    /** After a read. Its partition is known from its key, or from the first item. */
    read(table: Table, request: Record<string, unknown>, items: readonly Item[]): void {
      const index = table.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === request.IndexName);
      const hash = hashOf(index ?? table);
      const value = ((request.Key ?? items[0]) as Item | undefined)?.[hash];
      const bytes = items.reduce((sum, item) => sum + db.itemSize(item), 0);
      const units = Math.max(1, Math.ceil(bytes / 4096)) / (request.ConsistentRead ? 1 : 2);
      if (value) consume('read', partitionName(index?.IndexName ?? table.TableName, value), units);
    },
    /** The hottest partition keys: those that were throttled, or came to a tenth of a limit. */
    report: (): string[] =>
      [...uses]
        .filter(([, { kind, peak }]) => peak >= limits[kind] / 10)
        .toSorted(([, one], [, other]) => other.throttled - one.throttled || other.peak - one.peak)
        .slice(0, 5)
        .map(([name, { peak, throttled }]) => `${name}: ${peak} units a second, ${throttled} requests throttled`),
  };
}

/** The partition that a change writes; undefined for entries that AWS does not have. */
function partitionOf(table: Table, key: string, value: Item): string | undefined {
  if (key.startsWith(itemPrefix(table.TableName))) return partitionName(table.TableName, value[hashOf(table)]);
  const index = table.GlobalSecondaryIndexes?.find((one) =>
    key.startsWith(indexPrefix(table.TableName, one.IndexName)),
  );
  return index && partitionName(index.IndexName, value[hashOf(index)]);
}

const hashOf = ({ KeySchema }: Pick<Table, 'KeySchema'>): string =>
  KeySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName;

const partitionName = (name: string, value: unknown): string =>
  `${name} ${String(Object.values((value ?? {}) as object)[0])}`;
