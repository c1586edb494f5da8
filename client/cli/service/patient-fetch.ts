import type { Fetch } from '../../api.ts';
import { sleep } from '../../sleep.ts';

export type Patience = { url: string; patienceMs?: number; onWait?: (reason: unknown) => void };

const defaultPatienceMs = 120_000;
const firstWaitMs = 500;
const longestWaitMs = 15_000;
/** A reverse proxy answers these while the service behind it restarts. */
const gatewayStatuses = [502, 504];

/**
 * A `fetch` that repeats requests to the API while the network or the service is down, with growing waits, for up to
 * two minutes. Before the first response it does not wait, so that a wrong address is reported at once. Requests to the
 * store are not repeated: `putPart` does this, with a new signature.
 */
export function createPatientFetch(
  fetch: Fetch,
  { url, patienceMs = defaultPatienceMs, onWait = () => {} }: Patience,
): Fetch {
  let wasReached = false;
  const attempt = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    if (gatewayStatuses.includes(response.status)) throw new GatewayError(response);
    wasReached = true;
    return response;
  };
  return async (request) => {
    if (!request.url.startsWith(`${url}/api/`)) return fetch(request);
    const endsAtMs = Date.now() + patienceMs;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
      try {
        return await attempt(request.clone());
      } catch (error) {
        request.signal.throwIfAborted();
        const mayRepeat = wasReached && isRepeatable(request) && Date.now() + waitMs < endsAtMs;
        if (!mayRepeat && error instanceof GatewayError) return error.response;
        if (!mayRepeat) throw error;
        onWait(error);
      }
      await sleep(waitMs * (0.5 + Math.random() / 2), request.signal);
    }
  };
}

class GatewayError extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(`gateway ${response.status}`);
    this.response = response;
  }
}

/** A second completion of an upload answers like the first one. Other POST requests would create twice. */
const isRepeatable = ({ method, url }: Request): boolean =>
  method !== 'POST' || /^\/api\/objstore\/multipart\/[^/]+\/complete$/.test(new URL(url).pathname);
