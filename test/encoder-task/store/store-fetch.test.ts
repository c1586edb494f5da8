import { expect, test } from 'vitest';
import { checkStatus, storeFetch } from '../../../encoder-task/store/store-fetch.ts';

const signal = new AbortController().signal;

test('a store that cannot be reached is asked five times, and its failure is worth another try of the job', async () => {
  let tries = 0;
  const ask = storeFetch(
    signal,
    () => {
      tries++;
      return fetch('http://127.0.0.1:1/key?X-Amz-Signature=secret');
    },
    1,
  );
  const failure = await ask.catch((error: Error) => error);
  expect(failure).toMatchObject({ code: 'STORE_FAILED', fatal: false });
  expect((failure as Error).message).not.toContain('secret');
  expect(tries).toBe(5);
});

test('a stopped job asks no more', async () => {
  const stop = new AbortController();
  const ask = storeFetch(stop.signal, () => {
    stop.abort(new Error('stopped'));
    return Promise.reject(new Error('status 503'));
  });
  await expect(ask).rejects.toThrow('stopped');
});

test('a status says what can be done about it', () => {
  expect(() => checkStatus(206)).not.toThrow();
  expect(() => checkStatus(404)).toThrow(expect.objectContaining({ code: 'INPUT_GONE', fatal: true }));
  expect(() => checkStatus(403)).toThrow(expect.objectContaining({ code: 'STORE_FAILED', fatal: false }));
  for (const busy of [408, 429, 500, 503]) expect(() => checkStatus(busy)).toThrow(`status ${busy}`);
});
