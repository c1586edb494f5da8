import { expect, test } from 'vitest';
import { runParallel } from '../../../client/cli/run-parallel.ts';

const { signal } = new AbortController();

test('results have the order of their items, and no more tasks than the limit run at the same time', async () => {
  let running = 0;
  let most = 0;
  const results = await runParallel([3, 1, 2, 0], { limit: 2, signal }, async (turns) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    running -= 1;
    return turns * 10;
  });
  expect(results).toEqual([30, 10, 20, 0]);
  expect(most).toBe(2);
});

test('the first error stops the other tasks, and is thrown when they have ended', async () => {
  const events: string[] = [];
  const ended = runParallel(['fails', 'waits', 'never begins'], { limit: 2, signal }, async (name, stopped) => {
    events.push(name);
    if (name === 'fails') throw new Error('first');
    await aborted(stopped);
    events.push('stopped');
    throw new Error('second');
  });
  await expect(ended).rejects.toThrow('first');
  expect(events).toEqual(['fails', 'waits', 'stopped']);
});

test('the signal of the caller stops the tasks', async () => {
  const stop = new AbortController();
  const ended = runParallel([1], { limit: 1, signal: stop.signal }, async (_, stopped) => {
    await aborted(stopped);
    throw stopped.reason;
  });
  stop.abort(new Error('interrupted'));
  await expect(ended).rejects.toThrow('interrupted');
});

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
