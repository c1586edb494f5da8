import { JobError } from '../../shared/protocol/job-errors.ts';
import type { JobFiles } from './job-files.ts';
import { putBody } from './put-body.ts';
import { type SignedUrl, storeFetch } from './store-fetch.ts';

/** Small enough to be sent again, large enough that 10,000 of them are 640 GB; larger files take larger parts. */
const usualPartBytes = 64 * 2 ** 20;
const mostParts = 10_000;
const partsAtOnce = 3;
/** Asked for as the upload goes on, so that no URL is used near the end of its hour. */
const urlsAtOnce = 20;

type Context = Pick<JobFiles, 'askParts'> & { signal: AbortSignal };
type Part = { number: number; etag: string };

/** Sends a file in parts, a few at a time, and has the service join them. What fails is given up in the store, too. */
export async function uploadInParts(
  { askParts, signal }: Context,
  { file, bytes, partBytes = usualPartBytes }: { file: string; bytes: Blob; partBytes?: number },
): Promise<void> {
  const size = Math.max(partBytes, Math.ceil(bytes.size / mostParts));
  const count = Math.ceil(bytes.size / size);
  const { uploadId } = await askParts({ ask: 'open', file });
  if (uploadId === undefined) throw new JobError('STORE_FAILED', 'the service opened no upload');

  const urls = partUrls(askParts, { file, uploadId, count });
  const sent: Part[] = [];
  let next = 1;
  const sendSome = async (): Promise<void> => {
    while (next <= count) {
      const number = next++;
      const part = bytes.slice((number - 1) * size, number * size);
      const etag = await sendPart((refused) => urls(number, refused), { file, body: part, signal });
      sent.push({ number, etag });
    }
  };
  try {
    await Promise.all(Array.from({ length: partsAtOnce }, sendSome));
    await askParts({ ask: 'close', file, uploadId, parts: sent.toSorted((a, b) => a.number - b.number) });
  } catch (error) {
    next = count + 1;
    // The store drops what is left of it in a week at the latest.
    await askParts({ ask: 'abort', file, uploadId }).catch(() => undefined);
    throw error;
  }
}

function partUrls(ask: Context['askParts'], of: { file: string; uploadId: string; count: number }) {
  const batches = new Map<number, Promise<Record<string, string>>>();
  const { file, uploadId } = of;
  return async (number: number, refused?: string): Promise<string> => {
    const from = number - ((number - 1) % urlsAtOnce);
    if (refused !== undefined && (await batches.get(from))?.[number] === refused) batches.delete(from);
    if (!batches.has(from)) {
      const count = Math.min(urlsAtOnce, of.count - from + 1);
      batches.set(
        from,
        ask({ ask: 'parts', file, uploadId, from, count }).then(({ urls = {} }) => urls),
      );
    }
    const url = (await batches.get(from))?.[number];
    if (url === undefined) throw new JobError('STORE_FAILED', `the service gave no URL for part ${number}`);
    return url;
  };
}

const sendPart = (urlOf: SignedUrl, part: { file: string; body: Blob; signal: AbortSignal }): Promise<string> =>
  storeFetch(urlOf, part.signal, async (url) => {
    const etag = (await putBody(url, part)).get('etag');
    if (etag === null) throw new JobError('STORE_FAILED', 'the object store gave a part no ETag');
    return etag;
  });
