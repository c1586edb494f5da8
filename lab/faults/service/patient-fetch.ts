import { setTimeout as sleep } from 'node:timers/promises';

const longestMs = 180_000;
const againAfterMs = 250;

/** `fetch` with retries after network errors, 429 and 5xx, which survives a restart of the service. */
export async function patientFetch(url: string, options: RequestInit): Promise<Response> {
  const endMs = Date.now() + longestMs;
  for (;;) {
    const isLast = Date.now() > endMs;
    try {
      const response = await fetch(url, { ...options, signal: AbortSignal.timeout(60_000) });
      if (isLast || (response.status !== 429 && response.status < 500)) return response;
      await response.body?.cancel();
      await sleep(1000 * Math.min(5, Number(response.headers.get('retry-after')) || 0));
    } catch (error) {
      if (isLast) throw error;
    }
    await sleep(againAfterMs);
  }
}
