import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { db, type Item, type Table } from '../dynamodb/dynalite/dynalite.ts';
import { indexPrefix, itemPrefix, openDatabase } from '../dynamodb/storage/database.ts';
import { derivedChanges, indexEntryOf } from '../dynamodb/storage/derived-entries.ts';
import { readEntries } from '../dynamodb/storage/entries.ts';
import { openStore } from '../s3/storage/object-store.ts';

/** The items and the objects of a data folder, opened as a stack opens them. */
export async function openData(dataFolder: string) {
  const database = await openDatabase(join(dataFolder, 'dynamodb'));
  const store = await openStore({
    folder: join(dataFolder, 's3'),
    region: 'local-1',
    findPrincipal: () => undefined,
    buckets: [],
    onObjectCreated: () => {},
  });
  return {
    database,
    store,
    readEntries: () => readEntries(database),
    async close(): Promise<void> {
      await store.close();
      await database.close();
    },
  };
}

export type OpenData = Awaited<ReturnType<typeof openData>>;

/** A key of the database and its value as JSON text. */
export type StoredEntry = { key: string; value: string };

const bufferBytes = 64 * 2 ** 20;

/**
 * The database of an embedded DynamoDB, for a program that writes many items below its API. When entries are written in
 * the order of their keys, LevelDB never merges files, which takes most of the time when keys are random.
 */
export async function openTableStorage(folder: string) {
  const database = new ClassicLevel<string, string>(folder, { writeBufferSize: bufferBytes, maxFileSize: bufferBytes });
  await database.open();
  return {
    itemPrefix,
    indexPrefix,
    indexEntryOf,
    write: (entries: readonly StoredEntry[]): Promise<void> =>
      database.batch(entries.map((entry) => ({ type: 'put', ...entry }))),
    /** All entries, by key. */
    async read(): Promise<Map<string, unknown>> {
      const found = await database.iterator().all();
      return new Map(found.map(([key, value]) => [key, JSON.parse(value)]));
    },
    /** What the embedded DynamoDB stores for an item: its entry, and those of the indexes. */
    entriesOf: (table: Table, item: Item): [key: string, value: unknown][] => [
      [itemPrefix(table.TableName) + db.createKey(item, table), item],
      ...derivedChanges(table, undefined, item).map((change): [string, unknown] => [
        change.key,
        'value' in change && change.value,
      ]),
    ],
    close: (): Promise<void> => database.close(),
  };
}

export type TableStorage = Awaited<ReturnType<typeof openTableStorage>>;
