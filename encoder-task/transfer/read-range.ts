import { JobError } from '../../shared/protocol/job-errors.ts';
import { checkStatus, type SignedUrl, storeFetch } from './store-fetch.ts';

/** A window of 8 MiB over the slowest line that encoding makes sense on; a connection that hangs is given up after it. */
const timeoutMs = 60_000;

export type Range = { bytes: Buffer; totalBytes: number };

/**
 * Bytes [start, end) of an object and how long it is; less than asked for where the object ends, undefined where it ended before. Throws
 * JobError as `storeFetch` does.
 */
export const readRange = (
  urlOf: SignedUrl,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<Range | undefined> =>
  storeFetch(urlOf, signal, async (url) => {
    const response = await fetch(url, {
      // compressed on the way, ranges would be of something else
      headers: { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 416) return undefined;
    checkStatus(response.status);
    const totalBytes = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (response.status !== 206 || !totalBytes) {
      throw new JobError('STORE_FAILED', 'the object store ignores ranges');
    }
    return { bytes, totalBytes: Number(totalBytes) };
  });
