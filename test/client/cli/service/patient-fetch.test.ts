import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPatientFetch } from '../../../../client/cli/service/patient-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'http://service.test';
const down = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });

/** A fetch that gives these answers in order: statuses, or null for a failed connection. */
function prepare(answers: (number | null)[]) {
  const requests: string[] = [];
  const onWait = vi.fn();
  const fetch = createPatientFetch(
    async ({ method }) => {
      requests.push(method);
      const status = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (status === null) throw down;
      return new Response('', { status });
    },
    { url, onWait },
  );
  const call = (path: string, method = 'GET') => fetch(new Request(`${url}${path}`, { method }));
  return { requests, call, onWait };
}

test('after the first response, a request is repeated until the service is back', async () => {
  const { requests, call, onWait } = prepare([200, null, 502, 200]);
  await call('/api/me');
  const second = call('/api/me');
  await vi.advanceTimersByTimeAsync(5000);
  expect((await second).status).toBe(200);
  expect(requests).toHaveLength(4);
  expect(onWait).toHaveBeenCalledTimes(2);
});

test('before the first response, a failed connection is reported at once', async () => {
  const { requests, call } = prepare([null]);
  await expect(call('/api/me')).rejects.toBe(down);
  expect(requests).toHaveLength(1);
});

test('the patience ends after two minutes', async () => {
  const { call } = prepare([200, null]);
  await call('/api/me');
  const rejected = expect(call('/api/me')).rejects.toBe(down);
  await vi.advanceTimersByTimeAsync(130_000);
  await rejected;
});

test.each([
  ['/api/objstore/multipart', 'POST', 1],
  ['/api/objstore/multipart/U/complete', 'POST', 2],
  ['/store/1', 'PUT', 1],
])('%s by %s is sent %i times when the first connection fails', async (path, method, times) => {
  const { requests, call } = prepare([200, null, 200]);
  await call('/api/me');
  const ended = call(path, method).catch(() => {});
  await vi.advanceTimersByTimeAsync(5000);
  await ended;
  expect(requests.slice(1)).toEqual(Array(times).fill(method));
});
