import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPatientFetch } from '../../../../client/cli/service/patient-fetch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'http://service.test';
const down = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });

/** A fetch that gives these answers in order: statuses, or null for a failed connection. */
function prepare(results: (number | null)[], headers: Record<string, string> = {}) {
  const requests: string[] = [];
  const onWait = vi.fn();
  const fetch = createPatientFetch(
    async ({ method }) => {
      requests.push(method);
      const status = results.length > 1 ? results.shift()! : results[0]!;
      if (status === null) throw down;
      return new Response('', { status, headers });
    },
    { url, onWait },
  );
  const call = (path: string, method = 'GET', sent: Record<string, string> = {}) =>
    fetch(new Request(`${url}${path}`, { method, headers: sent }));
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

test.each([429, 503])('what API Gateway answers with %i is repeated, also as the first response', async (status) => {
  const { requests, call, onWait } = prepare([status, status, 200]);
  const first = call('/api/me');
  await vi.advanceTimersByTimeAsync(5000);
  expect((await first).status).toBe(200);
  expect(requests).toHaveLength(3);
  // A short wait is not worth a line.
  expect(onWait).toHaveBeenCalledTimes(1);
});

test('the wait is left to the client when the service names its time', async () => {
  const { requests, call } = prepare([503], { 'retry-after': '5' });
  expect((await call('/api/me')).status).toBe(503);
  expect(requests).toHaveLength(1);
});

test.each([502, 503])('after two minutes of %i, the error says which', async (status) => {
  const { call } = prepare([200, status]);
  await call('/api/me');
  const rejected = expect(call('/api/me')).rejects.toMatchObject({ name: 'ApiError', status });
  await vi.advanceTimersByTimeAsync(130_000);
  await rejected;
});

test('a POST without a key is repeated after 429, but not after 503, since it may have been done', async () => {
  const { requests, call } = prepare([429, 503, 200]);
  const rejected = expect(call('/api/tokens', 'POST')).rejects.toMatchObject({ status: 503 });
  await vi.advanceTimersByTimeAsync(5000);
  await rejected;
  expect(requests).toHaveLength(2);
});

test.each([
  ['/api/objstore/multipart', 'POST', 1, {}],
  ['/api/objstore/multipart', 'POST', 2, { 'idempotency-key': 'a' }],
  ['/store/1', 'PUT', 1, {}],
])('%s by %s is sent %i times when the first connection fails, with %j', async (path, method, times, sent) => {
  const { requests, call } = prepare([200, null, 200]);
  await call('/api/me');
  const ended = call(path, method, sent).catch(() => {});
  await vi.advanceTimersByTimeAsync(5000);
  await ended;
  expect(requests.slice(1)).toEqual(Array(times).fill(method));
});
