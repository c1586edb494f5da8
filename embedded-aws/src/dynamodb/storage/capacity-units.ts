import type { Item, Table } from '../dynalite/dynalite.ts';
import { indexEntryOf } from './derived-entries.ts';
import { itemSize } from './item-size.ts';
import { isSameItem } from './same-item.ts';

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html

/** Capacity units that a request consumes of one partition key, of the table or of one of its indexes. */
export type CapacityUse = {
  kind: 'read' | 'write';
  table: string;
  index?: string;
  /** the value of the partition key; empty for a scan */
  partition: string;
  units: number;
};

/** A transaction reads or writes each of its items twice. */
const transactionFactor = 2;

/** Strongly consistent reads take a unit for each 4 KB, others half of one. An item that does not exist takes one. */
export function readUnits(bytes: number, { isConsistent = false, isTransaction = false } = {}): number {
  const units = Math.max(1, Math.ceil(bytes / 4096));
  if (isTransaction) return transactionFactor * units;
  return isConsistent ? units : units / 2;
}

/** A unit for each KB of the item before or after the write, whichever is larger. A deletion of nothing takes one. */
export function writeUnits(before: Item | undefined, after?: Item, isTransaction = false): number {
  const bytes = Math.max(...[before, after].map((item) => (item ? itemSize(item) : 0)));
  return Math.max(1, Math.ceil(bytes / 1024)) * (isTransaction ? transactionFactor : 1);
}

/** A read of an item by its key. */
export function itemRead(
  table: Table,
  key: Item,
  item: Item | undefined,
  { isConsistent, isTransaction }: { isConsistent: boolean; isTransaction?: boolean },
): CapacityUse {
  const units = readUnits(item ? itemSize(item) : 0, { isConsistent, isTransaction });
  return { kind: 'read', table: table.TableName, partition: partitionOf(table, key), units };
}

/** A write of an item, without its indexes. */
export const itemWrite = (table: Table, key: Item, units: number): CapacityUse => ({
  kind: 'write',
  table: table.TableName,
  partition: partitionOf(table, key),
  units,
});

/**
 * The writes of an item and of its index entries. An index takes nothing when its entry stays the same, and two writes
 * when the key of the entry changes. Indexes are updated after a transaction, so that their entries are written once.
 */
export function changeUses(table: Table, before: Item | undefined, after: Item | undefined, isTransaction = false) {
  const key = after ?? before;
  if (!key) return [];
  return [itemWrite(table, key, writeUnits(before, after, isTransaction)), ...indexUses(table, before, after)];
}

function indexUses(table: Table, before: Item | undefined, after: Item | undefined): CapacityUse[] {
  return (table.GlobalSecondaryIndexes ?? []).flatMap((index) => {
    const [old, fresh] = [before, after].map((item) => item && indexEntryOf(table, index, item));
    const use = (entry: Item, units: number): CapacityUse => ({
      kind: 'write',
      table: table.TableName,
      index: index.IndexName,
      units,
      partition: partitionOf(index, entry),
    });
    const isMoved = old && fresh && !isSameItem(keyOf(index, old), keyOf(index, fresh));
    if (old && fresh && !isMoved) return isSameItem(old, fresh) ? [] : [use(fresh, writeUnits(old, fresh))];
    return [old, fresh].flatMap((entry) => (entry ? [use(entry, writeUnits(entry))] : []));
  });
}

const keyOf = ({ KeySchema }: Pick<Table, 'KeySchema'>, entry: Item): Item =>
  Object.fromEntries(KeySchema.map(({ AttributeName: name }) => [name, entry[name]!]));

/** The value of the partition key, as text. */
export function partitionOf({ KeySchema }: Pick<Table, 'KeySchema'>, item: Item): string {
  const { AttributeName } = KeySchema.find(({ KeyType }) => KeyType === 'HASH')!;
  return String(Object.values(item[AttributeName] ?? {})[0]);
}
