import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { contentTypeOf } from '../../shared/content-types.ts';
import type { JobContext } from '../job-context.ts';
import { checkStatus, type SignedUrl, storeFetch } from './store-fetch.ts';
import { uploadInParts } from './upload-in-parts.ts';

export type Uploader = Pick<JobContext, 'outputUrl' | 'askParts' | 'folder' | 'signal'>;

/** Above it a file goes in parts: what breaks off costs a part and not the file, and one PUT ends at 5 GiB. */
const inPartsBytes = 100 * 2 ** 20;

/** PUTs `<folder>/<local>` to the place the lease has for `file`, streamed from disk. Resolves with its bytes. */
export async function uploadFile(
  context: Uploader,
  local: string,
  file = local,
): Promise<{ file: string; bytes: number }> {
  const path = join(context.folder, local);
  const { size } = await stat(path);
  // The signature covers only the host, so the header is free.
  const type = contentTypeOf(file);
  if (size > inPartsBytes) await uploadInParts(context, { file, bytes: await openAsBlob(path) });
  else await put(context, file, () => openAsBlob(path, { type }));
  return { file, bytes: size };
}

export async function uploadBytes(context: Uploader, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await put(context, file, async () => new Blob([bytes], { type: contentTypeOf(file) }));
}

async function put({ outputUrl, signal }: Uploader, file: string, open: () => Promise<Blob>): Promise<void> {
  const urlOf: SignedUrl = (refused) => outputUrl(file, refused);
  await storeFetch(urlOf, signal, async (url) => {
    const response = await fetch(url, { method: 'PUT', body: await open(), redirect: 'error', signal });
    await response.body?.cancel();
    checkStatus(response.status);
  });
}
