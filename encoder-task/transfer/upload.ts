import { join } from 'node:path';
import { cacheControl } from '../../delivery/urls/delivered-headers.ts';
import { contentTypeOf } from '../../shared/media/content-types.ts';
import type { JobFiles } from './job-files.ts';
import { openLocalFile } from './local-file.ts';
import { putBody } from './put-body.ts';
import { type SignedUrl, storeFetch } from './store-fetch.ts';
import { uploadInParts } from './upload-in-parts.ts';

export type Uploader = Pick<JobFiles, 'outputUrl' | 'askParts'> & { folder: string; signal: AbortSignal };

/** Larger files are uploaded in parts: a failed request then repeats one part, and one PUT is limited to 5 GiB. */
const maxSinglePutBytes = 100 * 2 ** 20;

/** Uploads `<folder>/<local>` as the lease's output `file`, streamed from disk. Resolves with its size. */
export async function uploadFile(
  context: Uploader,
  local: string,
  file = local,
): Promise<{ file: string; bytes: number }> {
  // the signature covers only the host, so the content type can be set here
  const bytes = await openLocalFile(join(context.folder, local), contentTypeOf(file));
  if (bytes.size > maxSinglePutBytes) await uploadInParts(context, { file, bytes });
  else await put(context, file, bytes);
  return { file, bytes: bytes.size };
}

export async function uploadBytes(context: Uploader, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await put(context, file, new Blob([bytes], { type: contentTypeOf(file) }));
}

async function put({ outputUrl, signal }: Uploader, file: string, body: Blob): Promise<void> {
  const urlOf: SignedUrl = (rejected) => outputUrl(file, rejected);
  // The edge and its viewers keep the object for as long as this header says.
  const headers = (url: string) => ({ 'cache-control': cacheControl(new URL(url).pathname) });
  await storeFetch(urlOf, signal, (url) => putBody(url, { file, body, signal, headers: headers(url) }));
}
