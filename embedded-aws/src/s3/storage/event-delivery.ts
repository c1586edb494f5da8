import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectEvent, S3Options } from '../protocol/bucket-settings.ts';

const firstRetryMs = 100;
const maxRetryMs = 10_000;

/** Delivers each event until it is accepted. Events are independent: a rejected one does not delay others. */
export function openEventDelivery(
  onObjectCreated: S3Options['onObjectCreated'],
  delivered: (event: ObjectEvent) => Promise<void>,
): { deliver(event: ObjectEvent): void; close(): void } {
  const closing = new AbortController();

  async function deliverUntilAccepted(event: ObjectEvent): Promise<void> {
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      if (closing.signal.aborted) return;
      try {
        await onObjectCreated(event);
        return await delivered(event);
      } catch {
        await delay(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      }
    }
  }

  return {
    deliver(event) {
      setImmediate(() => void deliverUntilAccepted(event));
    },
    close: () => closing.abort(),
  };
}
