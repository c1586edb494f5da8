import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { appendWhole } from '../../durable/append-whole.ts';

const deliverAfterMs = 10_000;
const bufferedBytes = 64 * 1024;
/** What is kept while the disk is full. More lines are lost: the delivery of CloudFront is no guarantee either. */
const maxBufferedBytes = 1024 * 1024;
const flushAfterMs = 500;
const growing = 'growing';

export type LogDeliveryOptions = {
  folder: string;
  /** The key of a log whose first lines are of this time, without its last part. */
  keyPrefix: (time: Date) => string;
  /** Stores an object. It may be called again with the same key and content. */
  put: (key: string, body: Buffer) => Promise<void>;
  onError: (error: unknown) => void;
  now?: () => number;
};

/**
 * Delivers the lines of a log to a bucket, compressed and at least once. The key of a piece is known before the first
 * attempt, so that a repeated delivery is the same object. What was not delivered is delivered after the next start. A
 * killed process loses the lines of half a second. Without lines no timer runs.
 */
export async function openLogDelivery({ folder, keyPrefix, put, onError, now = Date.now }: LogDeliveryOptions) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let buffer: string[] = [];
  let buffered = 0;
  let delivering = Promise.resolve();
  let isFailing = false;
  let flushTimer: NodeJS.Timeout | undefined;
  let deliverTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function deliverLater(): void {
    if (!closed) deliverTimer ??= setTimeout(deliver, deliverAfterMs);
  }

  function flush(): void {
    clearTimeout(flushTimer);
    flushTimer = undefined;
    if (buffer.length === 0) return;
    try {
      appendWhole(join(folder, growing), buffer.join(''));
    } catch (error) {
      isFailing = true;
      deliverLater();
      onError(error);
      return;
    }
    isFailing = false;
    buffer = [];
    buffered = 0;
  }

  async function deliverAll(): Promise<void> {
    clearTimeout(deliverTimer);
    deliverTimer = undefined;
    flush();
    const name = `${now()}-${randomBytes(4).toString('hex')}`;
    await rename(join(folder, growing), join(folder, name)).catch(ignoreMissing);
    for (const piece of (await readdir(folder)).filter((file) => file !== growing).toSorted()) {
      const [time = '0', unique = ''] = piece.split('-');
      const lines = await readFile(join(folder, piece));
      // A full disk leaves an empty file.
      if (lines.length > 0) {
        await put(`${keyPrefix(new Date(Number(time)))}.${unique}.gz`, await promisify(gzip)(lines));
      }
      await rm(join(folder, piece));
    }
  }

  const deliver = (): Promise<void> => {
    delivering = delivering.then(deliverAll).catch((error) => {
      deliverLater();
      onError(error);
    });
    return delivering;
  };
  // An earlier run may have left pieces.
  deliverLater();

  return {
    write(line: string): void {
      deliverLater();
      if (buffered > maxBufferedBytes) return;
      buffer.push(line);
      buffered += line.length;
      // The next delivery tries again what failed.
      if (isFailing) return;
      if (buffered > bufferedBytes) flush();
      else if (!closed) flushTimer ??= setTimeout(flush, flushAfterMs);
    },
    deliver,
    async close(): Promise<void> {
      closed = true;
      clearTimeout(deliverTimer);
      await deliver();
    },
  };
}

export type OpenLogDelivery = Awaited<ReturnType<typeof openLogDelivery>>;

/** Replaces the variables of a suffix path, such as `{DistributionId}/{yyyy}/{MM}/{dd}/{HH}`. */
export function logKeyPrefix(
  { prefix, suffixPath }: { prefix: string; suffixPath: string },
  { distributionId, accountId }: { distributionId: string; accountId: string },
): (time: Date) => string {
  return (time) => {
    const [yyyy = '', MM = '', dd = '', HH = ''] = time.toISOString().split(/[-T:]/);
    const values: Record<string, string> = { yyyy, MM, dd, HH, 'account-id': accountId, accountid: accountId };
    const path = suffixPath.replace(/\{([A-Za-z-]+)\}/g, (_, name: string) =>
      name === 'DistributionId' || name === 'distributionid' ? distributionId : (values[name] ?? ''),
    );
    const folders = [prefix, ...path.split('/')].filter((part) => part !== '');
    return [...folders, `${distributionId}.${yyyy}-${MM}-${dd}-${HH}`].join('/');
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
