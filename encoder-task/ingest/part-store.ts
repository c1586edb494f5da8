import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobFiles } from '../transfer/job-files.ts';
import { openLocalFile } from '../transfer/local-file.ts';
import { putBody } from '../transfer/put-body.ts';
import { storeFetch } from '../transfer/store-fetch.ts';

type Context = Pick<JobFiles, 'outputUrl'> & { folder: string; signal: AbortSignal };

/** A part on its way: it is written to a file first, so that a failed request to the store can be repeated. */
export type PartFile = {
  write: (chunk: Uint8Array) => Promise<void>;
  /** sends the part to the store and returns its ETag; the file is removed */
  store: () => Promise<string>;
  discard: () => Promise<void>;
};

export async function createPartFile(context: Context, number: number): Promise<PartFile> {
  const name = `part-${number}`;
  const path = join(context.folder, name);
  const file = await open(path, 'w');
  return {
    write: (chunk) => writeAll(file, chunk),
    store: async () => {
      await file.close();
      const body = await openLocalFile(path, '');
      const { signal, outputUrl } = context;
      const etag = await storeFetch(
        (rejected) => outputUrl(String(number), rejected),
        signal,
        async (url) => (await putBody(url, { file: name, body, signal })).get('etag'),
      );
      if (etag === null) throw new JobError('STORE_FAILED', 'the object store returned no ETag for a part');
      await unlink(path);
      return etag;
    },
    discard: async () => {
      await file.close().catch(() => undefined);
      await unlink(path).catch(() => undefined);
    },
  };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let from = 0; from < chunk.length; ) from += (await file.write(chunk, from)).bytesWritten;
}
