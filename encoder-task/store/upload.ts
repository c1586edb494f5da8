import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { JobError } from '../../shared/job-errors.ts';
import type { JobContext } from '../job-context.ts';
import { checkStatus, storeFetch } from './store-fetch.ts';

/** What players and proxies are told, by the end of the file's name. The signature covers only the host, so the header is free. */
const contentTypes: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4s': 'video/mp4',
  '.ts': 'video/mp2t',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.vtt': 'text/vtt',
  '.gz': 'application/gzip',
};

type Uploader = Pick<JobContext, 'outputs' | 'folder' | 'signal'>;

/** PUTs `<folder>/<local>` to the URL the lease has for `file`, streamed from disk. Resolves with its bytes. */
export async function uploadFile(
  context: Uploader,
  local: string,
  file = local,
): Promise<{ file: string; bytes: number }> {
  const { size } = await stat(join(context.folder, local));
  await put(context, file, (type) => openAsBlob(join(context.folder, local), { type }));
  return { file, bytes: size };
}

export async function uploadBytes(context: Uploader, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await put(context, file, async (type) => new Blob([bytes], { type }));
}

async function put({ outputs, signal }: Uploader, file: string, open: (type: string) => Promise<Blob>): Promise<void> {
  const url = outputs[file];
  if (url === undefined) throw new JobError('OUTPUT_MISMATCH', `the lease has no place for ${file}`);
  const type = contentTypes[extname(file)] ?? 'application/octet-stream';
  await storeFetch(signal, async () => {
    const response = await fetch(url, { method: 'PUT', body: await open(type), redirect: 'error', signal });
    await response.body?.cancel();
    checkStatus(response.status);
  });
}
