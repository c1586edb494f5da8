import { expect, test } from 'vitest';
import { drain } from '../../../functions/common/drain.ts';

let [read, running, most] = [0, 0, 0];
async function* pages(count: number): AsyncGenerator<number[]> {
  for (read = 0; read < count; read++) yield [0, 1, 2, 3].map((offset) => 4 * read + offset);
}
const act = async (): Promise<void> => {
  most = Math.max(most, ++running);
  await new Promise((done) => setTimeout(done, 1));
  running--;
};
const forever = Number.POSITIVE_INFINITY;

test('a backlog is read one page at a time, with a bounded number of actions', async () => {
  expect(await drain(pages(1_000_000), act, { untilMilliseconds: forever, concurrency: 3, maxItems: 10 })).toBe(10);
  expect(read).toBe(2);
  expect(most).toBe(3);
});

test('nothing begins after the time, and the pages end', async () => {
  const startMs = Date.now();
  const done = await drain(pages(1_000_000), act, { untilMilliseconds: startMs + 50, concurrency: 2 });
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(1_000_000);
  expect(await drain(pages(1), act, { untilMilliseconds: startMs, concurrency: 2 })).toBe(0);
});

test('a failure stops no other action, and few of many failures are kept', async () => {
  let tried = 0;
  const failing = async (item: number) => {
    tried++;
    if (item > 3) throw new Error(`item ${item}`);
  };
  const drained = drain(pages(10), failing, { untilMilliseconds: forever, concurrency: 1 });
  await expect(drained).rejects.toSatisfy((error: AggregateError) => error.errors.length === 10);
  expect(tried).toBe(40);
});
