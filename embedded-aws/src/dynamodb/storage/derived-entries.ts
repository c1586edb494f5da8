import { crc32 } from 'node:zlib';
import { db, type Item, type SecondaryIndex, type Table } from '../dynalite/dynalite.ts';
import { type Change, type Database, END, expiryPrefix, indexPrefix, itemPrefix } from './database.ts';
import type { StreamSettings } from './stream-record.ts';

/** A stored table: what dynalite reads, and the settings that a restored table does not have. */
export type StoredTable = Table & {
  /** Another one for each table that had this name. */
  tableId?: string;
  timeToLiveAttribute?: string;
  stream?: StreamSettings;
  isProtected?: boolean;
  hasPointInTimeRecovery?: boolean;
  /** What it was restored from. Such a table needs no definition. */
  restored?: RestoreSummary;
};
export type RestoreSummary = { sourceTableArn: string; sourceBackupArn?: string; atMs: number };

/** Entries that are derived from the items of a table: one set for each index, and one that orders items by expiry. */
type DerivedSet = {
  prefix: string;
  /** When it changes, the entries have to be rebuilt. */
  definition(): string;
  entry(item: Item): { key: string; value: Item } | undefined;
};

/**
 * dynalite ends an index key with 24 bits of a hash of the table key. Among 5,000 items with the same index key this
 * loses an item in half of all cases. The whole table key is unique. Queries also use it for their start keys.
 */
export function indexEntryKey(item: Item, table: Table, keySchema: Table['KeySchema']): string {
  return db.createKey(item, table, keySchema) + db.createKey(item, table);
}

function attributeType(table: Table, name: string): string {
  return table.AttributeDefinitions.find((attribute) => attribute.AttributeName === name)?.AttributeType ?? '';
}

function pick(item: Item, names: string[]): Item {
  return Object.fromEntries(names.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}

function indexSet(table: Table, index: SecondaryIndex): DerivedSet {
  const indexKeys = index.KeySchema.map((key) => key.AttributeName);
  const prefix = indexPrefix(table.TableName, index.IndexName);
  return {
    prefix,
    definition: () => JSON.stringify([index, indexKeys.map((name) => attributeType(table, name))]),
    entry(item) {
      const value = indexEntryOf(table, index, item);
      return value && { key: prefix + indexEntryKey(item, table, index.KeySchema), value };
    },
  };
}

/** The entry of an item in an index. Undefined for an item without the key of the index. */
export function indexEntryOf(table: Table, index: SecondaryIndex, item: Item): Item | undefined {
  const indexKeys = index.KeySchema.map((key) => key.AttributeName);
  if (!indexKeys.every((name) => item[name]?.[attributeType(table, name)] !== undefined)) return undefined;
  if (index.Projection.ProjectionType === 'ALL') return item;
  const tableKeys = table.KeySchema.map((key) => key.AttributeName);
  return pick(item, [...indexKeys, ...tableKeys, ...(index.Projection.NonKeyAttributes ?? [])]);
}

function expirySet(table: Table, attribute: string): DerivedSet {
  const prefix = expiryPrefix(table.TableName);
  return {
    prefix,
    definition: () => JSON.stringify(attribute),
    entry: (item) => {
      const seconds = item[attribute]?.N;
      if (typeof seconds !== 'string') return undefined;
      return {
        key: `${prefix}${db.toLexiStr(seconds, 'N')}/${db.createKey(item, table)}`,
        value: pick(
          item,
          table.KeySchema.map((key) => key.AttributeName),
        ),
      };
    },
  };
}

function derivedSets(table: StoredTable): DerivedSet[] {
  return [
    ...(table.GlobalSecondaryIndexes ?? []).map((index) => indexSet(table, index)),
    ...(table.timeToLiveAttribute ? [expirySet(table, table.timeToLiveAttribute)] : []),
  ];
}

/**
 * The changes to the derived entries when an item changes from `before` to `after`. Undefined means that it does not
 * exist.
 */
export function derivedChanges(table: StoredTable, before: Item | undefined, after: Item | undefined): Change[] {
  return derivedSets(table).flatMap((set) => {
    const old = before && set.entry(before);
    const fresh = after && set.entry(after);
    const changes: Change[] = [];
    if (old && old.key !== fresh?.key) changes.push({ type: 'del', key: old.key });
    if (fresh) changes.push({ type: 'put', ...fresh });
    return changes;
  });
}

/** The first index in which the key of the item would be empty. DynamoDB rejects such an item. */
export function indexWithEmptyKey(table: Table, item: Item): { index: string; attribute: string } | undefined {
  for (const index of table.GlobalSecondaryIndexes ?? []) {
    for (const { AttributeName } of index.KeySchema) {
      const value = item[AttributeName];
      if (value?.S === '' || value?.B === '') return { index: index.IndexName, attribute: AttributeName };
    }
  }
  return undefined;
}

/** The definition that each set of derived entries was built from, by key prefix. */
export type BuiltSets = Record<string, string>;

export function derivedDefinitions(table: StoredTable): BuiltSets {
  return Object.fromEntries(derivedSets(table).map((set) => [set.prefix, set.definition()]));
}

/** Whether the sets that were built have exactly the entries of the items. Compares sums of checksums of entries. */
export async function hasDerived(database: Database, table: StoredTable, built: BuiltSets): Promise<boolean> {
  const sets = derivedSets(table).filter((set) => built[set.prefix] === set.definition());
  const sums = new Map(sets.map(({ prefix }) => [prefix, 0]));
  const add = (prefix: string, sign: 1 | -1, key: string, value: unknown): void =>
    void sums.set(prefix, sums.get(prefix)! + sign * crc32(key + JSON.stringify(value)));
  for await (const item of database.values({
    gte: itemPrefix(table.TableName),
    lt: itemPrefix(table.TableName) + END,
  })) {
    for (const set of sets) {
      const entry = set.entry(item as Item);
      if (entry) add(set.prefix, 1, entry.key, entry.value);
    }
  }
  for (const { prefix } of sets) {
    for await (const [key, value] of database.iterator({ gte: prefix, lt: prefix + END })) add(prefix, -1, key, value);
  }
  return [...sums.values()].every((sum) => sum === 0);
}

/**
 * Rebuilds the sets with these prefixes from the items, and deletes the entries of sets that the table no longer has.
 */
export async function rebuildDerived(database: Database, table: StoredTable, prefixes: string[]) {
  for (const prefix of prefixes) await database.clear({ gte: prefix, lt: prefix + END });
  const missing = derivedSets(table).filter((set) => prefixes.includes(set.prefix));
  if (missing.length === 0) return;
  const prefix = itemPrefix(table.TableName);
  const items = database.values({ gte: prefix, lt: prefix + END });
  for (let batch = await items.nextv(1000); batch.length > 0; batch = await items.nextv(1000)) {
    await database.batch(
      batch.flatMap((item) =>
        missing.flatMap((set) => {
          const entry = set.entry(item as Item);
          return entry ? [{ type: 'put' as const, ...entry }] : [];
        }),
      ),
    );
  }
  await items.close();
}
