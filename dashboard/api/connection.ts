import { signal } from '@preact/signals';
import type { Fetch } from '../../client/api.ts';

const probeMilliseconds = 5_000;

/** False from a request that got no response until one gets a response again. */
export const isConnected = signal(true);

/** Watches all requests. After a failure it probes the service until it answers. */
export const watchConnection =
  (fetch: Fetch): Fetch =>
  async (request) => {
    try {
      const response = await fetch(request);
      isConnected.value = true;
      return response;
    } catch (error) {
      if (error instanceof TypeError && isConnected.value) {
        isConnected.value = false;
        void probe(fetch);
      }
      throw error;
    }
  };

async function probe(fetch: Fetch): Promise<void> {
  while (!isConnected.value) {
    await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
    const response = await fetch(new Request('/health')).catch(() => undefined);
    if (response !== undefined) isConnected.value = true;
  }
}
