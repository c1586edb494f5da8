import type { Item } from '../dynalite/dynalite.ts';
import { type CapacityUse, itemRead } from '../storage/capacity-units.ts';
import { type DynamoContext, readItem } from '../storage/dynamodb-context.ts';
import { itemName } from '../storage/running-items.ts';
import type { Input } from './dynalite-actions.ts';
import { queriedKey } from './queried-key.ts';

type Gets = { Keys?: Item[]; ConsistentRead?: boolean };

/**
 * The units of a query or scan: what it read, before its filter and projection, is summed up and then rounded. An empty
 * answer takes as much as an item.
 * @param readUnits what dynalite has counted, without that minimum
 */
export function queryUses({ tables }: DynamoContext, data: Input, readUnits: number): CapacityUse[] {
  const { TableName, IndexName, ConsistentRead } = data;
  return [
    {
      kind: 'read',
      table: String(TableName),
      partition: queriedKey(tables.get(String(TableName)), data),
      ...(IndexName != null && { index: String(IndexName) }),
      units: Math.max(readUnits, ConsistentRead ? 1 : 0.5),
    },
  ];
}

/** The units of a GetItem or BatchGetItem, without the keys that were not processed. Each item is rounded. */
export function keyUses(context: DynamoContext, data: Input, { UnprocessedKeys }: Input): CapacityUse[] {
  const requests = (data.RequestItems ?? { [String(data.TableName)]: { ...data, Keys: [data.Key] } }) as Keyed;
  const unprocessed = (UnprocessedKeys ?? {}) as Keyed;
  return Object.entries(requests).flatMap(([name, { Keys = [], ConsistentRead = false }]) => {
    const table = context.tables.get(name)!;
    const left = new Set(unprocessed[name]?.Keys?.map((key) => itemName(table, key)));
    const processed = Keys.filter((key) => !left.has(itemName(table, key)));
    return processed.map((key) =>
      itemRead(table, key, readItem(context, table, key), { isConsistent: ConsistentRead === true }),
    );
  });
}

type Keyed = Record<string, Gets>;
