import { expect, test } from 'vitest';
import { checkStatus, storeFetch } from '../../../encoder-task/transfer/store-fetch.ts';

const signal = new AbortController().signal;
const noUrl = async () => '';

test('an unreachable store is tried five times, and the job is then retried', async () => {
  let tries = 0;
  const ask = storeFetch(
    async () => 'http://127.0.0.1:1/key?X-Amz-Signature=secret',
    signal,
    (url) => {
      tries++;
      return fetch(url);
    },
    1,
  );
  const failure = await ask.catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STORE_FAILED', fatal: false });
  expect((failure as Error).message).not.toContain('secret');
  expect(tries).toBe(5);
});

test('a stopped job makes no further attempt', async () => {
  const stop = new AbortController();
  const ask = storeFetch(noUrl, stop.signal, () => {
    stop.abort(new Error('stopped'));
    return Promise.reject(new Error('status 503'));
  });
  await expect(ask).rejects.toThrow('stopped');
});

test.each([400, 403])(
  'a URL that the store rejects with %i is replaced, a URL that the store was too busy for is not',
  async (rejection) => {
    const statuses = [503, rejection, 200];
    const asked: (string | undefined)[] = [];
    const used: string[] = [];
    const urlOf = async (rejected?: string): Promise<string> => `url-${asked.push(rejected)}`;
    const ask = async (url: string): Promise<void> => {
      used.push(url);
      checkStatus(statuses.shift()!);
    };
    await storeFetch(urlOf, signal, ask, 1);
    expect(asked).toEqual([undefined, 'url-1']);
    expect(used).toEqual(['url-1', 'url-1', 'url-2']);
  },
);

test('a store that rejects every URL is not fatal', async () => {
  const ask = storeFetch(noUrl, signal, async () => checkStatus(403), 1);
  await expect(ask).rejects.toMatchObject({ code: 'STORE_FAILED', fatal: false });
});

test('a status determines whether the request is retried', () => {
  expect(() => checkStatus(206)).not.toThrow();
  expect(() => checkStatus(404)).toThrow(expect.objectContaining({ code: 'INPUT_GONE', fatal: true }));
  expect(() => checkStatus(405)).toThrow(expect.objectContaining({ code: 'STORE_FAILED', fatal: false }));
  for (const passing of [400, 403, 408, 429, 500, 503]) expect(() => checkStatus(passing)).toThrow(`status ${passing}`);
});
