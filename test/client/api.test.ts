import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bodyOf, createApi } from '../../client/api.ts';
import { createFakeService } from './support/fake-service.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const me = { id: 1, ulid: 'U', name: 'Ada', email: 'ada@example.com', is_admin: false };

test('a call sends the token and returns the body', async () => {
  let authorization: string | null = null;
  const service = createFakeService({
    'GET /api/me': ({ headers }) => {
      authorization = headers.get('authorization');
      return { body: me };
    },
  });
  const api = createApi({ ...service, token: '1|secret' });
  expect(await bodyOf(api.GET('/api/me'))).toEqual(me);
  expect(authorization).toBe('Bearer 1|secret');
});

test('without a token no authorization header is sent: a browser has its session cookie', async () => {
  let names: string[] = [];
  const service = createFakeService({
    'GET /api/me': ({ headers }) => {
      names = [...headers.keys()];
      return { body: me };
    },
  });
  await createApi(service).GET('/api/me');
  expect(names).not.toContain('authorization');
});

test('an error response is thrown with its status, message and fields', async () => {
  const errors = { name: ['The name field is required.'] };
  const service = createFakeService({
    'POST /api/tokens': () => ({ status: 422, body: { message: 'The name field is required.', errors } }),
  });
  await expect(createApi(service).POST('/api/tokens', { body: { name: '' } })).rejects.toMatchObject({
    name: 'ApiError',
    status: 422,
    message: 'The name field is required.',
    errors,
  });
});

test('an error without a JSON body has its status', async () => {
  const fetch = async () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' });
  const call = createApi({ url: 'http://service.test', fetch }).GET('/api/me');
  await expect(call).rejects.toMatchObject({ status: 502, message: 'Bad Gateway', errors: {} });
});

test.each([
  ['post', '/api/tokens', 429],
  ['put', '/api/tokens', 503],
] as const)(
  'a %s of %s that is answered with %i is repeated after the time that the service asks for',
  async (method, path, status) => {
    const responses = [{ status, headers: { 'retry-after': '2' }, body: { message: 'Wait.' } }, { body: me }];
    const bodies: string[] = [];
    const service = createFakeService({
      [`${method.toUpperCase()} ${path}`]: async (request) => {
        bodies.push(await request.text());
        return responses.shift()!;
      },
    });
    const call = createApi(service).request(method as 'post', path, { body: { name: 'a' } });
    await vi.advanceTimersByTimeAsync(1999);
    expect(service.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await call;
    expect(bodies).toEqual(['{"name":"a"}', '{"name":"a"}']);
  },
);

describe.each([
  ['API Gateway', {}],
  ['the service', { 'retry-after': '5' }],
])('after an answer of %s,', (_, headers) => {
  test.each([
    ['GET', '/api/me', 429, 2],
    ['GET', '/api/me', 503, 2],
    ['PUT', '/api/nodes/1', 503, 2],
    ['DELETE', '/api/nodes/1', 503, 2],
    ['POST', '/api/tokens', 429, 2],
    ['POST', '/api/tokens', 503, 2],
    ['POST', '/api/objstore/multipart/U/complete', 503, 2],
  ])('%s %s with status %i is sent %i times', async (method, path, status, requests) => {
    const responses = [{ status, headers, body: { message: 'Service Unavailable' } }, { body: me }];
    const service = createFakeService({ [`${method} ${path}`]: () => responses.shift()! });
    const ended = createApi(service)
      .request(method.toLowerCase() as 'get', path as '/api/me')
      .catch(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
    expect(service.requests).toEqual(Array(requests).fill(`${method} ${path}`));
  });
});

test('a POST has a key, which its repeats have too, and another POST another one', async () => {
  const sent: (string | null)[] = [];
  const responses = [
    { status: 503, body: {} },
    { status: 409, headers: { 'retry-after': '1' }, body: { message: 'Wait.', code: 'idempotency_in_progress' } },
  ];
  const service = createFakeService({
    'POST /api/tokens': ({ headers }) => {
      sent.push(headers.get('idempotency-key'));
      return responses.shift() ?? { status: 201, body: { token: '1|a' } };
    },
  });
  const api = createApi(service);
  for (const name of ['a', 'b']) {
    const call = api.POST('/api/tokens', { body: { name } });
    await vi.advanceTimersByTimeAsync(10_000);
    await call;
  }
  expect(sent).toEqual([sent[0], sent[0], sent[0], sent[3]]);
  expect(sent[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(sent[3]).not.toBe(sent[0]);
});

test.each([
  ['waits would be too long', { 'retry-after': '3600' }, 1],
  ['it fails four times, and API Gateway names no time', {}, 4],
  ['it fails four times', { 'retry-after': '1' }, 4],
])('a throttled request is not repeated when %s', async (_, headers, requests) => {
  const service = createFakeService({ 'GET /api/me': () => ({ status: 429, headers, body: { message: 'Wait.' } }) });
  const call = createApi(service).GET('/api/me');
  const rejected = expect(call).rejects.toMatchObject({ status: 429 });
  await vi.advanceTimersByTimeAsync(10_000);
  await rejected;
  expect(service.requests).toHaveLength(requests);
});

test.each([
  [429, '60', 4],
  [429, '61', 1],
  [503, '10', 4],
  [503, '60', 1],
])('a request that is answered with %i and a wait of %s s is sent %i times', async (status, seconds, requests) => {
  const response = { status, headers: { 'retry-after': seconds }, body: { message: 'Wait.' } };
  const service = createFakeService({ 'GET /api/me': () => response });
  const rejected = expect(createApi(service).GET('/api/me')).rejects.toMatchObject({ status });
  await vi.advanceTimersByTimeAsync(300_000);
  await rejected;
  expect(service.requests).toHaveLength(requests);
});

test('a response without a body is an error where one is needed', async () => {
  const service = createFakeService({ 'GET /api/me': () => ({ status: 204 }) });
  await expect(bodyOf(createApi(service).GET('/api/me'))).rejects.toThrow('no body');
});
