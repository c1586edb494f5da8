import type { Fetch } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { backoffMs, isThrottled } from '../repetition.ts';
import { sleep } from '../sleep.ts';
import { type PartRequest, type PartResponse, sendPart } from './send-part.ts';
import { requireReadable } from './unreadable-file-error.ts';

const maxAttempts = 5;

/**
 * Uploads a part to the store and returns its ETag. A failed attempt is repeated with a new signed URL, because the
 * old one may have expired.
 * @throws ApiError, UnreadableFileError at once, TypeError when nothing answers, the reason of the signal
 */
export async function putPart(
  fetch: Fetch,
  { sign, ...part }: Omit<PartRequest, 'url'> & { sign: () => Promise<string> },
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return etagOf(await sendPart(fetch, { ...part, url: await sign() }));
    } catch (error) {
      part.signal?.throwIfAborted();
      part.onSent(0);
      if (!(error instanceof ApiError)) await requireReadable(part.body);
      if (attempt >= maxAttempts || isFinal(error)) throw error;
    }
    await sleep(backoffMs(attempt), part.signal);
  }
}

/** The API has refused to sign: the upload is gone, or the token is not valid any more. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && !(error instanceof StoreError) && error.status < 500 && !isThrottled(error.status);

class StoreError extends ApiError {}

function etagOf({ status, etag }: PartResponse): string {
  if (status < 200 || status > 299) throw new StoreError(status, `The store refused a part: ${status}.`);
  if (etag === null) throw new StoreError(status, 'The store does not expose the ETag header of a part.');
  return etag;
}
