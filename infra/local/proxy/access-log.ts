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
  /** of the node that the lines are from */
  name: string;
  store: S3Client;
  bucket: string;
  onError: (error: unknown) => void;
};

/**
 * The embedded proxy's access log, shipped as the nodes ship theirs: a piece keeps its name until the store has it, so that one which is sent twice is
 * one object, and is counted once. What was not sent when the process ends is sent by the next one.
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
      // 412: an earlier try got through, and the process ended before it could note that.
      if (!(error instanceof S3ServiceException && error.$metadata.httpStatusCode === 412)) throw error;
    }
  }

  const ship = (): Promise<void> => {
    shipping = shipping.then(shipAll).catch(onError);
    return shipping;
  };
  const timer = setInterval(ship, shipEveryMs);

  return {
    /** At once and on disk, so that no end of the process loses a line. */
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
