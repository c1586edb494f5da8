import type { Fetch } from '../../api.ts';
import { ApiError, errorOf, retryAfterOf } from '../../api-error.ts';
import { backoffMs, isRepeatable, isThrottled } from '../../repetition.ts';
import { sleep } from '../../sleep.ts';

export type Patience = { url: string; patienceMs?: number; onWait?: (reason: unknown) => void };

const defaultPatienceMs = 120_000;
const longestWaitMs = 15_000;
/** A reverse proxy answers these while the service behind it restarts. */
const proxyStatuses = [502, 504];

/**
 * A `fetch` that repeats requests to the API while the network or the service is down, or API Gateway throttles, with
 * growing waits, for up to two minutes. It throws the last error: the client would repeat a response once more. Before
 * the first response it does not wait, so that a wrong address is reported at once. Requests to the store are not
 * repeated: `putPart` does this, with a new signature.
 */
export function createPatientFetch(
  fetch: Fetch,
  { url, patienceMs = defaultPatienceMs, onWait = () => {} }: Patience,
): Fetch {
  let wasReached = false;
  const send = async (request: Request): Promise<Response> => {
    const response = await fetch(request);
    const isProxyError = proxyStatuses.includes(response.status);
    if (!isProxyError) wasReached = true;
    // The client waits itself for a time that the service names.
    const isGatewayLimit = isThrottled(response.status) && retryAfterOf(response) === undefined;
    if (isProxyError || isGatewayLimit) throw await errorOf(response);
    return response;
  };
  return async (request) => {
    if (!request.url.startsWith(`${url}/api/`)) return fetch(request);
    const endsAtMs = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt++) {
      const waitMs = Math.min(longestWaitMs, backoffMs(attempt));
      try {
        return await send(request.clone());
      } catch (error) {
        request.signal.throwIfAborted();
        const status = error instanceof ApiError ? error.status : undefined;
        const mayRepeat = wasReached && isRepeatable(request, status) && Date.now() + waitMs < endsAtMs;
        if (!mayRepeat) throw error;
        // A new account throttles often, for a moment.
        if (attempt > 1 || !isThrottled(status)) onWait(error);
      }
      await sleep(waitMs, request.signal);
    }
  };
}
