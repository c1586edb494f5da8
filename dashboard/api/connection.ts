import { signal } from '@preact/signals';
import type { Fetch } from '../../client/api.ts';

const probeMilliseconds = 5_000;

/** False from a request that got no response until one gets a response again. */
export const isConnected = signal(true);

/** Watches all requests. */
export const watchConnection =
  (fetch: Fetch): Fetch =>
  async (request) => {
    try {
      const response = await fetch(request);
      isConnected.value = true;
      return response;
    } catch (error) {
      if (error instanceof TypeError) connectionLost();
      throw error;
    }
  };

/** A request got no response. The service is probed until it answers. */
function connectionLost(): void {
  if (!isConnected.value) return;
  isConnected.value = false;
  void probe();
}

async function probe(): Promise<void> {
  while (!isConnected.value) {
    await new Promise((resolve) => setTimeout(resolve, probeMilliseconds));
    const response = await fetch('/health').catch(() => undefined);
    if (response !== undefined) isConnected.value = true;
  }
}
