import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createFakeService } from './support/fake-service.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const path = 'GET /api/videos/V';

/** A service whose video has one state after the other, and then keeps the last. Undefined: it does not exist yet. */
function serveStates(...states: (string | undefined)[]) {
  const service = createFakeService({
    [path]: () => {
      const status = states.length > 1 ? states.shift() : states[0];
      return status === undefined
        ? { status: 404, body: { message: 'Not found.' } }
        : { body: { data: { ulid: 'V', status, streams: [], outputs: [] } } };
    },
  });
  return { service, client: createClient(service) };
}

test.each(['completed', 'failed'])('a video is polled until it is %s', async (end) => {
  const { client } = serveStates(undefined, 'pending', 'running', end);
  const seen: string[] = [];
  const video = client.waitForVideo('V', { onChange: ({ status }) => seen.push(status) });
  await vi.advanceTimersByTimeAsync(5000);
  expect((await video).status).toBe(end);
  expect(seen).toEqual(['pending', 'running', end]);
});

test('a video that does not exist after a minute is an error', async () => {
  const { client } = serveStates(undefined);
  const rejected = expect(client.waitForVideo('V')).rejects.toMatchObject({ status: 404 });
  await vi.advanceTimersByTimeAsync(61_000);
  await rejected;
});

test('waiting ends with the signal', async () => {
  const { client } = serveStates('running');
  const stop = new AbortController();
  const rejected = expect(client.waitForVideo('V', { signal: stop.signal })).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(1000);
  stop.abort(new Error('enough'));
  await rejected;
});

test('a client that waits for several videos keeps its rate of requests', async () => {
  const { service, client } = serveStates('running');
  const stop = new AbortController();
  const waits = Array.from({ length: 5 }, () => client.waitForVideo('V', { signal: stop.signal }).catch(() => {}));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.requests.length).toBeGreaterThan(100);
  expect(service.requests.length).toBeLessThan(130);
  stop.abort();
  await Promise.all(waits);
});
