import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JobError } from '../../shared/job-errors.ts';
import type { JobContext } from '../job-context.ts';
import { checkStatus, storeFetch } from './store-fetch.ts';

type Uploader = Pick<JobContext, 'outputs' | 'folder' | 'signal'>;

/** PUTs `<folder>/<local>` to the URL the lease has for `file`, streamed from disk. Resolves with its bytes. */
export async function uploadFile(
  context: Uploader,
  local: string,
  file = local,
): Promise<{ file: string; bytes: number }> {
  const { size } = await stat(join(context.folder, local));
  await put(context, file, () => openAsBlob(join(context.folder, local)));
  return { file, bytes: size };
}

export async function uploadBytes(context: Uploader, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await put(context, file, async () => new Blob([bytes]));
}

async function put({ outputs, signal }: Uploader, file: string, open: () => Promise<Blob>): Promise<void> {
  const url = outputs[file];
  if (url === undefined) throw new JobError('OUTPUT_MISMATCH', `the lease has no place for ${file}`);
  await storeFetch(signal, async () => {
    const response = await fetch(url, { method: 'PUT', body: await open(), redirect: 'error', signal });
    await response.body?.cancel();
    checkStatus(response.status);
  });
}
