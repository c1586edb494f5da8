import { appendFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PutObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { Access } from '../../../shared/delivery/access-log.ts';
import { accessLogPrefix } from '../../../shared/object-keys.ts';

const shipEveryMs = 10_000;
const growing = 'access.jsonl';

export type AccessLogOptions = {
  folder: string;
  /** The name of the node in the log. */
  name: string;
  store: S3Client;
  bucket: string;
  onError: (error: unknown) => void;
};

/**
 * The access log of the built-in proxy, uploaded in the same form as those of other nodes. A piece keeps its name until
 * it is stored, so that a repeated upload is the same object and is counted once. Pieces that were not uploaded are
 * uploaded after the next start.
 */
export async function openAccessLog({ folder, name, store, bucket, onError }: AccessLogOptions) {
  await mkdir(folder, { recursive: true });
  let shipping = Promise.resolve();

  async function shipAll(): Promise<void> {
    await rename(join(folder, growing), join(folder, `${Date.now()}.jsonl`)).catch(ignoreMissing);
    for (const piece of (await readdir(folder)).filter((file) => /^\d+\.jsonl$/.test(file)).toSorted()) {
      await send(`${accessLogPrefix(name)}${piece}.gz`, await promisify(gzip)(await readFile(join(folder, piece))));
      await rm(join(folder, piece));
    }
  }

  async function send(Key: string, Body: Buffer): Promise<void> {
    try {
      await store.send(new PutObjectCommand({ Bucket: bucket, Key, Body, IfNoneMatch: '*' }));
    } catch (error) {
      // 412: an earlier attempt succeeded, but the process ended before it recorded that.
      if (!(error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)) throw error;
    }
  }

  const ship = (): Promise<void> => {
    shipping = shipping.then(shipAll).catch(onError);
    return shipping;
  };
  const timer = setInterval(ship, shipEveryMs);

  return {
    /** Synchronously, so that no line is lost when the process ends. */
    write: (access: Access): void => appendFileSync(join(folder, growing), `${JSON.stringify(access)}\n`),
    ship,
    async close(): Promise<void> {
      clearInterval(timer);
      await shipping;
    },
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
