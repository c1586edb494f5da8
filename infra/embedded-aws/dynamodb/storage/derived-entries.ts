import db, { type Item, type SecondaryIndex, type Table } from 'dynalite/db/index.js';
import { type Change, type Database, END, expiryPrefix, indexPrefix, itemPrefix } from './database.ts';

/** A table as it is stored: what dynalite reads, and the time-to-live attribute. */
export type StoredTable = Table & { timeToLiveAttribute?: string };

/** Entries kept in step with a table's items: one set for each index, and one that orders items by when they expire. */
type DerivedSet = {
  prefix: string;
  /** Changes when the entries have to be built anew. */
  definition: string;
  entry(item: Item): { key: string; value: Item } | undefined;
};

/**
 * dynalite ends an index key with 24 bits of a hash of the table key, so that among 5,000 items with one index key it
 * loses an item every other time. The whole table key is unique. Queries take their start keys from here too.
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
  const tableKeys = table.KeySchema.map((key) => key.AttributeName);
  const projected = [...indexKeys, ...tableKeys, ...(index.Projection.NonKeyAttributes ?? [])];
  const prefix = indexPrefix(table.TableName, index.IndexName);
  return {
    prefix,
    definition: JSON.stringify([index, indexKeys.map((name) => attributeType(table, name))]),
    entry: (item) =>
      indexKeys.every((name) => item[name]?.[attributeType(table, name)] !== undefined)
        ? {
            key: prefix + indexEntryKey(item, table, index.KeySchema),
            value: index.Projection.ProjectionType === 'ALL' ? item : pick(item, projected),
          }
        : undefined,
  };
}

function expirySet(table: Table, attribute: string): DerivedSet {
  const prefix = expiryPrefix(table.TableName);
  return {
    prefix,
    definition: JSON.stringify(attribute),
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

/** The changes to a table's derived entries when an item goes from `before` to `after` (undefined: absent). */
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

/** The first index whose key would be an empty string or empty bytes, which DynamoDB refuses to store. */
export function indexWithEmptyKey(table: Table, item: Item): { index: string; attribute: string } | undefined {
  for (const index of table.GlobalSecondaryIndexes ?? []) {
    for (const { AttributeName } of index.KeySchema) {
      const value = item[AttributeName];
      if (value?.S === '' || value?.B === '') return { index: index.IndexName, attribute: AttributeName };
    }
  }
  return undefined;
}

/** What each set of derived entries was built from: its key prefix → its definition. */
export type BuiltSets = Record<string, string>;

export function derivedDefinitions(table: StoredTable): BuiltSets {
  return Object.fromEntries(derivedSets(table).map((set) => [set.prefix, set.definition]));
}

/** Builds the sets with these prefixes from the table's items, and empties those that the table no longer has. */
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
