import { JobError } from '../../shared/protocol/job-errors.ts';
import { checkStatus, type SignedUrl, storeFetch } from './store-fetch.ts';

/** Enough for 8 MiB on the slowest connection that is useful for encoding. A hanging connection is aborted after it. */
const timeoutMs = 60_000;

export type Range = { bytes: Buffer; totalBytes: number };

/**
 * Bytes [start, end) of an object and its size; fewer at the end of the object, undefined after it. Throws JobError as
 * `storeFetch` does.
 */
export const readRange = (
  urlOf: SignedUrl,
  start: number,
  end: number,
  signal: AbortSignal,
): Promise<Range | undefined> =>
  storeFetch(urlOf, signal, async (url) => {
    const response = await fetch(url, {
      // a range of a compressed response would be other bytes
      headers: { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 416) return undefined;
    checkStatus(response.status);
    const totalBytes = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
    if (response.status !== 206 || !totalBytes) {
      throw new JobError('STORE_FAILED', 'the object store does not support range requests');
    }
    return { bytes, totalBytes: Number(totalBytes) };
  });
