import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Delivery, type NextAttempt, openDeliveryQueue } from '../../src/durable/delivery-queue.ts';
import { testClock } from '../../src/testing/test-clock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'delivery-queue-'));
});
afterEach(() => rm(folder, { recursive: true }));

const clock = testClock();
const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(attempt: (delivery: Delivery<string>) => Promise<NextAttempt | undefined>) {
  const errors: unknown[] = [];
  const report = (error: unknown) => errors.push(error);
  return openDeliveryQueue({ path: join(folder, 'queue.journal'), clock, attempt, report }).then((queue) => ({
    queue,
    errors,
  }));
}

test('a delivery is attempted again when it is due, until it has ended', async () => {
  const seen: [string, number, number][] = [];
  const { queue } = await open(async ({ payload, attempts, failures }) => {
    seen.push([payload, attempts, failures]);
    return attempts < 2 ? { dueMs: clock.now() + 1000, isFailure: attempts === 0 } : undefined;
  });
  await queue.add('a');
  clock.advance(0);
  await settled();
  clock.advance(999);
  await settled();
  expect(seen).toEqual([['a', 0, 0]]);
  clock.advance(1);
  await settled();
  clock.advance(1000);
  await settled();
  expect(seen).toEqual([
    ['a', 0, 0],
    ['a', 1, 1],
    ['a', 2, 1],
  ]);
  expect(queue.size).toBe(0);
  await queue.close();
});

test('what has not ended is attempted after the queue was opened again, an interrupted attempt as such', async () => {
  const first = await open(({ payload }) =>
    payload === 'running' ? new Promise(() => {}) : Promise.resolve({ dueMs: clock.now() + 5000, isFailure: true }),
  );
  await first.queue.add('running');
  await first.queue.add('failed');
  await first.queue.add('delayed', 9000);
  clock.advance(0);
  await settled();
  await first.queue.close();

  const seen: Partial<Delivery<string>>[] = [];
  const second = await open(async ({ payload, attempts, failures, interrupted }) => {
    seen.push({ payload, attempts, failures, interrupted });
    return undefined;
  });
  clock.advance(0);
  await settled();
  expect(seen).toEqual([{ payload: 'running', attempts: 1, failures: 0, interrupted: true }]);
  clock.advance(9000);
  await settled();
  expect(seen.slice(1)).toEqual([
    { payload: 'failed', attempts: 1, failures: 1, interrupted: false },
    { payload: 'delayed', attempts: 0, failures: 0, interrupted: false },
  ]);
  await second.queue.close();
  const third = await open(async () => undefined);
  expect(third.queue.size).toBe(0);
  await third.queue.close();
});

test('an error of the code is reported, and the delivery is not lost', async () => {
  let fails = true;
  const { queue, errors } = await open(async () => {
    if (fails) throw new Error('broken');
    return undefined;
  });
  await queue.add('a');
  clock.advance(0);
  await settled();
  expect([errors, queue.size]).toEqual([[new Error('broken')], 1]);
  fails = false;
  clock.advance(60_000);
  await settled();
  expect(queue.size).toBe(0);
  await queue.close();
});
