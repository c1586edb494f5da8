import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue } from '../../control/serial-queue.ts';
import type { KeyValueReader } from '../functions/runtime-modules.ts';
import { KeyValueStoreError } from './store-errors.ts';
import { readStore, type StoreContent, writeStore } from './store-file.ts';

// https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/cloudfront-limits.html

const maxStoreBytes = 5 * 2 ** 20;
const maxKeyBytes = 512;
const maxValueBytes = 1024;
const maxKeysPerUpdate = 50;

export type Update = { puts: { key: string; value: string }[]; deletes: string[] };

export type StoreOptions = {
  arn: string;
  folder: string;
  /** How long functions read the state before a write. On AWS this is usually some seconds. */
  propagationDelayMs?: () => number;
  now?: () => number;
};

export type KeyValueStore = Awaited<ReturnType<typeof openKeyValueStore>>;

const newEtag = (): string => randomBytes(8).toString('hex').toUpperCase();

/** Opens a CloudFront KeyValueStore. A write that was answered survives a kill of the process. */
export async function openKeyValueStore({ arn, folder, propagationDelayMs = () => 0, now = Date.now }: StoreOptions) {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${arn.split('/').at(-1)}.json`);
  const createdMs = now();
  let content: StoreContent = (await readStore(file)) ?? {
    etag: newEtag(),
    createdMs,
    modifiedMs: createdMs,
    items: new Map(),
  };
  let visible = content;
  let writtenVersion = 0;
  let visibleVersion = 0;
  const inOrder = createSerialQueue();
  const timers = new Set<NodeJS.Timeout>();

  function publish(written: StoreContent): void {
    const version = ++writtenVersion;
    const show = (): void => {
      // Delays differ, and an earlier version never replaces a later one.
      if (version < visibleVersion) return;
      visible = written;
      visibleVersion = version;
    };
    const delayMs = propagationDelayMs();
    if (delayMs <= 0) {
      show();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      show();
    }, delayMs);
    timers.add(timer.unref());
  }

  const reader: KeyValueReader = {
    get: (key) => visible.items.get(key),
    meta: () => ({
      creationDateTime: new Date(visible.createdMs).toISOString(),
      lastUpdatedDateTime: new Date(visible.modifiedMs).toISOString(),
      keyCount: visible.items.size,
    }),
  };

  return {
    arn,
    content: (): StoreContent => content,
    /** What functions read. */
    reader,
    /** Writes and removes keys in one step. @throws KeyValueStoreError */
    update: (update: Update, ifMatch: string | undefined): Promise<StoreContent> =>
      inOrder(async () => {
        checkUpdate(update);
        if (ifMatch === undefined)
          throw new KeyValueStoreError('ValidationException', 'The If-Match header is missing.');
        if (ifMatch !== content.etag) {
          throw new KeyValueStoreError(
            'ConflictException',
            'The ETag is not that of the current version of the store.',
          );
        }
        const items = new Map(content.items);
        for (const key of update.deletes) {
          if (!items.delete(key)) throw new KeyValueStoreError('ResourceNotFoundException', 'The key does not exist.');
        }
        for (const { key, value } of update.puts) items.set(key, value);
        if (sizeOf(items) > maxStoreBytes) {
          throw new KeyValueStoreError('ServiceQuotaExceededException', 'A key value store has at most 5 MB.');
        }
        const written = { ...content, etag: newEtag(), modifiedMs: now(), items };
        await writeStore(file, written);
        content = written;
        publish(written);
        return written;
      }),
    close(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

export const sizeOf = (items: ReadonlyMap<string, string>): number =>
  items.entries().reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);

function checkUpdate({ puts, deletes }: Update): void {
  const invalid = (message: string) => new KeyValueStoreError('ValidationException', message);
  const keys = [...puts.map(({ key }) => key), ...deletes];
  if (keys.length === 0) throw invalid('An update has at least one key.');
  if (keys.length > maxKeysPerUpdate) throw invalid(`An update has at most ${maxKeysPerUpdate} keys.`);
  if (new Set(keys).size < keys.length) throw invalid('An update names a key twice.');
  for (const key of keys) {
    const bytes = Buffer.byteLength(key);
    if (bytes < 1 || bytes > maxKeyBytes) throw invalid(`A key has 1 to ${maxKeyBytes} bytes.`);
  }
  for (const { value } of puts) {
    if (Buffer.byteLength(value) > maxValueBytes) throw invalid(`A value has at most ${maxValueBytes} bytes.`);
  }
}
