import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobFiles } from './job-files.ts';
import { putBody } from './put-body.ts';
import { type SignedUrl, storeFetch } from './store-fetch.ts';

/** Small enough to be sent again, and 10,000 parts are 640 GB. Larger files have larger parts. */
const defaultPartBytes = 64 * 2 ** 20;
const maxParts = 10_000;
const parallelParts = 3;
/** URLs are requested during the upload in small batches, so that none expires before it is used. */
const urlBatchSize = 20;

type Context = Pick<JobFiles, 'askParts'> & { signal: AbortSignal };
type Part = { number: number; etag: string };

/**
 * Uploads a file in parts, several in parallel, and asks the service to complete the upload. A failed upload is aborted
 * in the store.
 */
export async function uploadInParts(
  { askParts, signal }: Context,
  { file, bytes, partBytes = defaultPartBytes }: { file: string; bytes: Blob; partBytes?: number },
): Promise<void> {
  const size = Math.max(partBytes, Math.ceil(bytes.size / maxParts));
  const count = Math.ceil(bytes.size / size);
  const { s3UploadId } = await askParts({ ask: 'open', file });
  if (s3UploadId === undefined) throw new JobError('STORE_FAILED', 'the service did not open the upload');

  const urls = partUrls(askParts, { file, s3UploadId, count });
  const sent: Part[] = [];
  let next = 1;
  const sendParts = async (): Promise<void> => {
    while (next <= count) {
      const number = next++;
      const part = bytes.slice((number - 1) * size, number * size);
      const etag = await sendPart((rejected) => urls(number, rejected), { file, body: part, signal });
      sent.push({ number, etag });
    }
  };
  try {
    await Promise.all(Array.from({ length: parallelParts }, sendParts));
    await askParts({ ask: 'close', file, s3UploadId, parts: sent.toSorted((a, b) => a.number - b.number) });
  } catch (error) {
    next = count + 1;
    // if this fails too, the store removes the parts after a week
    await askParts({ ask: 'abort', file, s3UploadId }).catch(() => undefined);
    throw error;
  }
}

function partUrls(ask: Context['askParts'], of: { file: string; s3UploadId: string; count: number }) {
  const batches = new Map<number, Promise<Record<string, string>>>();
  const { file, s3UploadId } = of;
  return async (number: number, rejected?: string): Promise<string> => {
    const from = number - ((number - 1) % urlBatchSize);
    if (rejected !== undefined && (await batches.get(from))?.[number] === rejected) batches.delete(from);
    if (!batches.has(from)) {
      const count = Math.min(urlBatchSize, of.count - from + 1);
      batches.set(
        from,
        ask({ ask: 'parts', file, s3UploadId, from, count }).then(({ urls = {} }) => urls),
      );
    }
    const url = (await batches.get(from))?.[number];
    if (url === undefined) throw new JobError('STORE_FAILED', `the service returned no URL for part ${number}`);
    return url;
  };
}

const sendPart = (urlOf: SignedUrl, part: { file: string; body: Blob; signal: AbortSignal }): Promise<string> =>
  storeFetch(urlOf, part.signal, async (url) => {
    const etag = (await putBody(url, part)).get('etag');
    if (etag === null) throw new JobError('STORE_FAILED', 'the object store returned no ETag for a part');
    return etag;
  });
