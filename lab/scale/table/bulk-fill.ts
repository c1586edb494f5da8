import { hash as digestOf } from 'node:crypto';
import { type Item, openTableStorage, type StoredEntry, type Table, type TableStorage } from 'embedded-aws/testing';
import { type Copies, copyText, type Pattern, type Prototype, patternOf } from './clones.ts';

/** Copies of some prototypes in turn. */
export type Fill = Copies & { prototypes: readonly Prototype[] };

/** An entry of the database that each copy of a prototype has: the keys of the index first, then the table's. */
type EntryPattern = { keys: [partition: Pattern, sort: Pattern][]; value: Pattern };

/** Entries are generated again for each part of the database, in the order of their keys. */
type Source = { fill: Fill; entries: EntryPattern[][] };

const sortedDigits = 4;
const buckets = 16 ** sortedDigits;
const batchBytes = 2 ** 20;

/**
 * Writes the copies to the database of the embedded DynamoDB, in the order of the keys, which is fastest. Memory is
 * some bytes for each entry of one index.
 * @returns the number of items
 */
export async function bulkFill(folder: string, table: Table, fills: readonly Fill[]): Promise<number> {
  const storage = await openTableStorage(folder);
  const { indexPrefix, indexEntryOf, itemPrefix } = storage;
  const indexes = (table.GlobalSecondaryIndexes ?? []).toSorted((a, b) => (a.IndexName < b.IndexName ? -1 : 1));
  for (const index of indexes) {
    const keysOf = (item: Item) => [index.KeySchema, table.KeySchema].map((schema) => keyTexts(item, schema));
    const sources = sourcesOf(fills, (item) => {
      const entry = indexEntryOf(table, index, item);
      return entry && { keys: keysOf(item), value: entry };
    });
    await fillPart(storage, indexPrefix(table.TableName, index.IndexName), sources);
  }
  const sources = sourcesOf(fills, (item) => ({ keys: [keyTexts(item, table.KeySchema)], value: item }));
  const items = await fillPart(storage, itemPrefix(table.TableName), sources);
  await storage.close();
  return items;
}

type Key = [partition: string, sort: string];
const keyTexts = (item: Item, schema: Table['KeySchema']): Key =>
  schema.map(({ AttributeName }) => String(item[AttributeName]?.S)) as Key;

function sourcesOf(
  fills: readonly Fill[],
  entryOf: (item: Item) => { keys: Key[]; value: Item } | undefined,
): Source[] {
  return fills.map((fill) => ({
    fill,
    entries: fill.prototypes.map(({ items }) => {
      const ulids: string[] = [];
      // The numbers of the ULIDs are the same for each part of the database.
      patternOf(JSON.stringify(items), ulids);
      return items.flatMap((item) => {
        const entry = entryOf(item);
        if (!entry) return [];
        const keys = entry.keys.map((key) => key.map((text) => patternOf(text, ulids)) as [Pattern, Pattern]);
        return { keys, value: patternOf(JSON.stringify(entry.value), ulids) };
      });
    }),
  }));
}

/** Writes the entries of one prefix. Returns their number. */
async function fillPart(storage: TableStorage, prefix: string, sources: Source[]): Promise<number> {
  const count = sources.reduce((sum, source) => sum + countEntries(source), 0);
  const positions = { source: new Uint8Array(count), entry: new Uint8Array(count), copy: new Uint32Array(count) };
  const bucketOf = new Uint16Array(count);
  const ends = new Uint32Array(buckets + 1);
  let number = 0;
  for (const [sourceNumber, { fill, entries }] of sources.entries()) {
    for (let copy = 0; copy < fill.count; copy++) {
      const ofCopy = entries[copy % entries.length]!;
      for (let entry = 0; entry < ofCopy.length; entry++) {
        const bucket = Number.parseInt(
          hashOf(copyText(ofCopy[entry]!.keys[0]![0], fill, copy)).slice(0, sortedDigits),
          16,
        );
        positions.source[number] = sourceNumber;
        positions.entry[number] = entry;
        positions.copy[number] = copy;
        bucketOf[number] = bucket;
        ends[bucket + 1]!++;
        number++;
      }
    }
  }
  for (let bucket = 0; bucket < buckets; bucket++) ends[bucket + 1]! += ends[bucket]!;
  const sorted = new Uint32Array(count);
  const next = ends.slice();
  for (let at = 0; at < count; at++) sorted[next[bucketOf[at]!]!++] = at;

  let puts: StoredEntry[] = [];
  let bytes = 0;
  const write = async () => {
    puts.sort((a, b) => (a.key < b.key ? -1 : 1));
    await storage.write(puts);
    [puts, bytes] = [[], 0];
  };
  for (let at = 0; at < count; at++) {
    const index = sorted[at]!;
    const { fill, entries } = sources[positions.source[index]!]!;
    const copy = positions.copy[index]!;
    const { keys, value } = entries[copy % entries.length]![positions.entry[index]!]!;
    let key = prefix;
    for (const [partition, sort] of keys) {
      const text = copyText(partition, fill, copy);
      key += `${hashOf(text)}/${hexOf(text)}/${hexOf(copyText(sort, fill, copy))}/`;
    }
    const put = { key, value: copyText(value, fill, copy) };
    puts.push(put);
    bytes += put.key.length + put.value.length;
    if (bytes > batchBytes) await write();
  }
  await write();
  return count;
}

function countEntries({ fill, entries }: Source): number {
  let count = 0;
  for (let copy = 0; copy < fill.count; copy++) count += entries[copy % entries.length]!.length;
  return count;
}

const hexOf = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

/** What dynalite begins the key of an item with. A partition that many entries share is hashed once. */
function hashOf(partition: string): string {
  const known = hashes.get(partition);
  if (known !== undefined) return known;
  const hash = digestOf('md5', `Outliers${partition}`, 'hex').slice(0, 6);
  if (hashes.size < 1000) hashes.set(partition, hash);
  return hash;
}
const hashes = new Map<string, string>();
