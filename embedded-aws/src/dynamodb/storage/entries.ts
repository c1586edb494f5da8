import { ClassicLevel } from 'classic-level';

type Entry = [key: string, value: string];
const batchLength = 256 * 1024;
const asText = { keyEncoding: 'utf8', valueEncoding: 'utf8' } as const;

/** `close` is for the case that not all batches are read. */
export type Entries = AsyncIterable<Entry[]> & { close(): Promise<void> };

/** All entries of the database at the moment of the call, with their values as JSON text, in batches. */
export function readEntries(database: ClassicLevel<string, unknown>): Entries {
  const snapshot = database.snapshot();
  const iterator = database.iterator<string, string>({ ...asText, snapshot });
  async function* batches(): AsyncGenerator<Entry[]> {
    let batch: Entry[] = [];
    let length = 0;
    for await (const [key, value] of iterator) {
      batch.push([key, value]);
      length += key.length + value.length;
      if (length < batchLength) continue;
      yield batch;
      batch = [];
      length = 0;
    }
    yield batch;
  }
  const close = async (): Promise<void> => {
    await iterator.close();
    await snapshot.close();
  };
  return Object.assign(batches(), { close });
}

/** Makes a new database in `folder` from the entries of another. */
export async function writeEntries(folder: string, batches: AsyncIterable<Entry[]>): Promise<void> {
  const database = new ClassicLevel<string, string>(folder, { ...asText, errorIfExists: true });
  await database.open();
  try {
    for await (const batch of batches) {
      await database.batch(batch.map(([key, value]) => ({ type: 'put', key, value })));
    }
    // Otherwise the newest entries would be in the log only, and every start would read it again.
    await database.compactRange('', '\uffff');
  } finally {
    await database.close();
  }
}
