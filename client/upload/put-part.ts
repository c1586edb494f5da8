import type { Fetch } from '../api.ts';
import { ApiError } from '../api-error.ts';
import { sleep } from '../sleep.ts';

const maxAttempts = 5;
const firstWaitMs = 500;

/**
 * Uploads a part to the store and returns its ETag. A failed attempt is repeated with a new signed URL, because the
 * old one may have expired.
 */
export async function putPart(
  fetch: Fetch,
  { sign, body, signal }: { sign: () => Promise<string>; body: Blob; signal: AbortSignal | undefined },
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const request = new Request(await sign(), { method: 'PUT', body, ...(signal && { signal }) });
      return await send(request, fetch);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt >= maxAttempts || isFinal(error)) throw error;
    }
    await sleep(firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random()), signal);
  }
}

/** The API has refused to sign: the upload is gone, or the token is not valid any more. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiError && !(error instanceof StoreError) && error.status < 500;

class StoreError extends ApiError {}

async function send(request: Request, fetch: Fetch): Promise<string> {
  const response = await fetch(request);
  if (!response.ok) throw new StoreError(response.status, `The store refused a part: ${response.status}.`);
  const etag = response.headers.get('etag');
  if (etag === null) throw new StoreError(response.status, 'The store does not expose the ETag header of a part.');
  return etag;
}
