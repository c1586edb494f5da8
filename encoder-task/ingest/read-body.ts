import type { IncomingMessage } from 'node:http';
import { Interrupted } from './failures.ts';
import type { FetchContext } from './fetch-context.ts';

/** A server that sends less than this, on average over the stall limit, blocks a worker for nothing. */
const minBytesPerSecond = 16 * 1024;

/**
 * The chunks of a response's body.
 * @throws Interrupted when the server is silent or very slow, JobError when its average is too low. Time in which the
 * caller does not read does not count
 */
export async function* readBody(
  response: IncomingMessage,
  { stallSeconds, pace }: Pick<FetchContext, 'stallSeconds' | 'pace'>,
): AsyncGenerator<Buffer> {
  const chunks = response.iterator({ destroyOnReturn: true });
  const stallMs = stallSeconds * 1000;
  let waitedMs = 0;
  let receivedBytes = 0;
  try {
    for (;;) {
      const startedMs = performance.now();
      const timer = setTimeout(() => response.destroy(new Interrupted('it stopped sending')), stallMs);
      const { value, done } = await pace.wait(() => chunks.next()).finally(() => clearTimeout(timer));
      if (done) break;
      waitedMs += performance.now() - startedMs;
      receivedBytes += value.length;
      pace.received(value.length);
      yield value;
      if (waitedMs < stallMs) continue;
      if (receivedBytes < minBytesPerSecond * stallSeconds) throw new Interrupted('it sends too slowly');
      waitedMs = 0;
      receivedBytes = 0;
    }
    if (!response.complete) throw new Interrupted('it closed the connection before the end');
  } finally {
    response.destroy();
  }
}
