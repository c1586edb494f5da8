import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectWhenIdle } from '../../../local/server/collect-when-idle.ts';

/** Much more than what is worth a collection. */
const worthwhileBytes = 64 * 2 ** 20;

function workFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) Math.sqrt(endMs);
}

test('garbage is collected once the thread is idle, and again only after more of it', async () => {
  let collections = 0;
  // Not the heap of this process, in which other tests leave room.
  let held = worthwhileBytes;
  const stop = collectWhenIdle(() => collections++, { everyMs: 40, heldBytes: () => held });
  const busy = setInterval(() => workFor(20), 10);
  await sleep(400);
  expect(collections).toBe(0);
  clearInterval(busy);
  await expect.poll(() => collections).toBe(1);
  await sleep(200);
  expect(collections).toBe(1);
  held += worthwhileBytes;
  await expect.poll(() => collections).toBe(2);
  stop();
});
