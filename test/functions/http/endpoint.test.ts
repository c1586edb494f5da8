import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { documents } from '../../../functions/aws/table-client.ts';
import { Conflict } from '../../../functions/common/errors.ts';
import { log } from '../../../functions/common/log.ts';
import { createApiHandler, recordRoute, route } from '../../../functions/http/endpoint.ts';
import { openSession } from '../../../functions/table/accounts/session-table.ts';
import { callHandler, createGatewayEvent, lambdaContext } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useLogLines } from '../../fixtures/use-log-lines.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const thing = { tag: 'Service', summary: 'A thing', status: 200, response: z.unknown() } as const;
const handler = createApiHandler(
  [
    route({ ...thing, operationId: 'list', method: 'GET', path: '/api/things', access: 'public' }, async () => ({
      data: [],
    })),
    route(
      {
        ...thing,
        operationId: 'create',
        method: 'POST',
        path: '/api/things',
        access: 'user',
        ability: 'videos:write',
        body: z.object({ name: z.string().min(2).max(5), size: z.int().optional() }),
        adminFields: ['owner'],
      },
      async ({ body }) => body,
    ),
    recordRoute(
      {
        ...thing,
        operationId: 'update',
        method: 'PUT',
        path: '/api/things/{id}',
        access: 'user',
        ability: 'videos:write',
        body: z.object({ name: z.string() }),
      },
      async ({ params }) => (params.id === '1' ? { id: 1 } : undefined),
      async ({ found, body }) => ({ ...found, ...body }),
    ),
    route(
      {
        operationId: 'remove',
        method: 'DELETE',
        path: '/api/things/{id}',
        access: 'admin',
        ability: 'admin',
        status: 204,
      },
      async () => {},
    ),
    route(
      { ...thing, operationId: 'special', method: 'GET', path: '/api/things/special', access: 'public' },
      async () => {
        throw new Conflict('concurrent_change', 'Not now.');
      },
    ),
    route({ ...thing, operationId: 'broken', method: 'POST', path: '/api/broken', access: 'public' }, async () => {
      log.info('begun');
      throw new Error('secret detail');
    }),
    route(
      {
        ...thing,
        operationId: 'secret',
        method: 'GET',
        path: '/api/secret',
        access: 'public',
        cacheControl: 'no-store',
      },
      async () => ({}),
    ),
    route(
      { ...thing, operationId: 'narrow', method: 'GET', path: '/api/narrow', access: 'public', rate: 'register' },
      async () => ({}),
    ),
    route(
      { ...thing, operationId: 'endless', method: 'GET', path: '/api/endless', access: 'public' },
      () => new Promise(() => {}),
    ),
    recordRoute(
      { ...thing, operationId: 'findEndless', method: 'GET', path: '/api/endless/{id}', access: 'public' },
      () => new Promise<object>(() => {}),
      async () => ({}),
    ),
  ],
  { aliases: { '/api/t': '/api/things' } },
);

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('an unknown path is 404, with and without a credential', async () => {
  const answer = await callHandler(handler, 'GET /api/nothing');
  expect(answer).toMatchObject({ status: 404, json: { message: 'Not found.' } });
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
});

test('an unsupported method on a known path is 405 with the supported ones, HEAD included with GET', async () => {
  const answer = await callHandler(handler, 'PATCH /api/things/');
  expect(answer).toMatchObject({
    status: 405,
    json: { message: 'The PATCH method is not supported for route api/things. Supported methods: GET, HEAD, POST.' },
    headers: { allow: 'GET, HEAD, POST' },
  });
  expect(await callHandler(handler, 'TRACE /api/things/special')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  });
});

test('HEAD is GET without a body, a trailing slash is ignored, an alias prefix is rewritten', async () => {
  expect(await callHandler(handler, 'HEAD /api/things')).toMatchObject({ status: 200, text: '' });
  expect(await callHandler(handler, 'GET /api/things/')).toMatchObject({ status: 200, json: { data: [] } });
  expect(await callHandler(handler, 'GET /api/t')).toMatchObject({ status: 200 });
});

test('an ID in a path is decoded once, by the gateway', async () => {
  const { token } = await createPerson();
  const put = (id: string) => callHandler(handler, `PUT /api/things/${id}`, { token, body: { name: 'n' } });
  expect(await put('%31')).toMatchObject({ status: 200, json: { id: 1 } });
  expect(await put('%2531')).toMatchObject({ status: 404 });
});

test('a literal path takes precedence over one with a parameter', async () => {
  expect(await callHandler(handler, 'GET /api/things/special')).toMatchObject({
    status: 409,
    json: { message: 'Not now.' },
  });
  expect(await callHandler(handler, 'DELETE /api/things/special')).toMatchObject({ status: 405 });
});

test.each([
  ['no credential', {}],
  ['no such token', { token: `999|${'a'.repeat(40)}` }],
  ['half a token', { token: '1|' }],
  ['no id', { token: `|${'a'.repeat(40)}` }],
  ['a text of 10 kB', { token: 'x'.repeat(10_000) }],
  ['another scheme', { headers: { authorization: 'Basic YTpi' } }],
  ['no such session', { session: 'a'.repeat(40) }],
])('%s is 401', async (_, sent) => {
  expect(await callHandler(handler, 'POST /api/things', sent)).toMatchObject({
    status: 401,
    json: { message: 'Unauthenticated.' },
    headers: { 'www-authenticate': 'Bearer' },
  });
});

test('an invalid bearer token is rejected even with a valid cookie', async () => {
  const { secret } = await openSession((await createPerson()).user);
  expect(await callHandler(handler, 'POST /api/things', { token: '1|x', session: secret })).toMatchObject({
    status: 401,
  });
});

test('an endpoint for administrators responds with 403 before it loads the record', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'DELETE /api/things/99', { token })).toMatchObject({
    status: 403,
    json: { message: 'This action is unauthorized.' },
  });
  const admin = await createPerson({ isAdmin: true });
  expect(await callHandler(handler, 'DELETE /api/things/1', { token: admin.token })).toMatchObject({
    status: 204,
    text: undefined,
  });
});

test('a field for administrators is 403 for others, before validation', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /api/things', { token, body: { owner: 1 } })).toMatchObject({ status: 403 });
});

test.each([
  ['of another type', { text: '{}', headers: { 'content-type': 'text/plain' } }, 415],
  ['without a type', { text: '{}', headers: { 'content-type': '' } }, 415],
  ['that is no JSON', { text: '{"a":' }, 400],
  ['that reaches for a prototype', { text: '{"__proto__": {"admin": true}}' }, 400],
  ['nested 100,000 deep', { text: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }, 400],
  ['over 1 MiB', { text: JSON.stringify({ name: 'x'.repeat(2 ** 20) }) }, 413],
  ['that is a list', { text: '[1]' }, 422],
  ['that is absent', {}, 422],
])('a body %s is rejected', async (_, sent, status) => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'POST /api/things', { token, ...sent })).toMatchObject({ status });
});

test('a base64 body of the gateway is decoded', async () => {
  const { token } = await createPerson();
  const text = Buffer.from('{"name":"abc"}').toString('base64');
  const event = { ...createGatewayEvent('POST /api/things', { token, text }), isBase64Encoded: true };
  expect(await handler(event as never, lambdaContext as never)).toMatchObject({
    statusCode: 200,
    body: '{"name":"abc"}',
  });
});

test('validation errors are listed by field; the message is the first error and the number of the others', async () => {
  const { token } = await createPerson();
  const answer = await callHandler(handler, 'POST /api/things', { token, body: { name: '  ', size: 1.5, more: 1 } });
  expect(answer).toMatchObject({
    status: 422,
    json: {
      message: 'The name field is required. (and 1 more error)',
      errors: { name: ['The name field is required.'], size: ['The size field must be an integer.'] },
      codes: { name: [{ code: 'required' }], size: [{ code: 'wrong_type' }] },
    },
  });
});

const strict = createApiHandler([
  route(
    { ...thing, operationId: 'strict', method: 'PUT', path: '/api/strict', access: 'public', body: z.strictObject({}) },
    async () => ({}),
  ),
]);

test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
  'an unknown field may be called %s',
  async (field) => {
    expect((await callHandler(strict, 'PUT /api/strict', { body: { [field]: 1 } })).json.errors).toEqual({
      [field]: [`The ${field} field is prohibited.`],
    });
  },
);

test('at most 100 validation errors are returned', async () => {
  const body = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, 0]));
  const answer = await callHandler(strict, 'PUT /api/strict', { body });
  expect(Object.keys(answer.json.errors)).toHaveLength(100);
});

test('strings are trimmed and unknown fields are removed', async () => {
  const { token } = await createPerson();
  const answer = await callHandler(handler, 'POST /api/things', { token, body: { name: ' abc ', is_admin: true } });
  expect(answer).toMatchObject({ status: 200, json: { name: 'abc' } });
});

test('a missing record is 404 before validation, and after the body was parsed', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'PUT /api/things/2', { token, body: {} })).toMatchObject({ status: 404 });
  expect(await callHandler(handler, 'PUT /api/things/2', { token, text: '{' })).toMatchObject({ status: 400 });
  expect(await callHandler(handler, 'PUT /api/things/1', { token, body: {} })).toMatchObject({ status: 422 });
  expect(await callHandler(handler, 'PUT /api/things/1', { token, body: { name: 'n' } })).toMatchObject({
    json: { id: 1, name: 'n' },
  });
});

test('an internal error is 500 without details, and is logged with all of them', async () => {
  const error = vi.spyOn(log, 'error').mockImplementation(() => {});
  expect(await callHandler(handler, 'POST /api/broken')).toMatchObject({
    status: 500,
    json: { message: 'Server Error' },
  });
  expect(error).toHaveBeenCalledWith(
    'the handler failed',
    expect.objectContaining({ error: expect.objectContaining({ message: 'secret detail' }) }),
  );
});

describe('the ID of a request', () => {
  const logLines = useLogLines();

  test('is in the header of every response, in the body of an error and in its log lines', async () => {
    const { headers, json } = await callHandler(handler, 'POST /api/broken');
    expect(headers['x-request-id']).toMatch(/./);
    expect(json).toEqual({ message: 'Server Error', code: 'internal_error', request_id: headers['x-request-id'] });
    expect(logLines()).toMatchObject([{ message: 'begun', requestId: headers['x-request-id'] }]);
    for (const request of ['GET /api/things', 'OPTIONS /api/things', 'GET /api/nothing'] as const)
      expect((await callHandler(handler, request)).headers).toHaveProperty('x-request-id');
  });
});

test('pages of allowed origins can read responses and errors, others cannot', async () => {
  vi.stubEnv('ALLOWED_ORIGINS', 'https://app.example.com,http://localhost:*');
  const answer = (origin: string, request: `${string} /${string}` = 'GET /api/nothing') =>
    callHandler(handler, request, { headers: { origin } });
  expect((await answer('https://app.example.com')).headers).toMatchObject({
    'access-control-allow-origin': 'https://app.example.com',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': expect.stringMatching(/ETag.*Retry-After/),
    vary: 'Origin',
  });
  expect((await answer('http://localhost:5173')).headers).toHaveProperty('access-control-allow-origin');
  for (const origin of [
    'https://evil.example',
    'null',
    'https://app.example.com.evil.example',
    'http://localhost:5173.evil.example',
  ]) {
    const { headers } = await answer(origin);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(headers).toHaveProperty('vary', 'Origin');
  }
  expect(await answer('https://app.example.com', 'OPTIONS /api/things/7')).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'authorization, content-type, accept, idempotency-key, if-none-match',
      'access-control-max-age': '7200',
    },
  });
});

test('a read that has not changed is 304 without a body, with the headers that the page needs', async () => {
  vi.stubEnv('ALLOWED_ORIGINS', 'https://app.example.com');
  const origin = 'https://app.example.com';
  const first = await callHandler(handler, 'GET /api/things', { headers: { origin } });
  expect(first.headers).toMatchObject({ etag: expect.stringMatching(/^W\/"/), 'cache-control': 'private, no-cache' });
  for (const method of ['GET', 'HEAD']) {
    const headers = { origin, 'if-none-match': `"other", ${first.headers.etag}` };
    const again = await callHandler(handler, `${method} /api/things`, { headers });
    expect(again).toMatchObject({ status: 304, text: undefined });
    expect(again.headers).toMatchObject({
      etag: first.headers.etag,
      'cache-control': 'private, no-cache',
      'access-control-allow-origin': origin,
      vary: 'Origin',
    });
    expect(again.headers).not.toHaveProperty('content-type');
  }
  expect(await callHandler(handler, 'GET /api/things', { headers: { 'if-none-match': '"other"' } })).toMatchObject({
    status: 200,
    json: { data: [] },
  });
  expect((await callHandler(handler, 'HEAD /api/things')).headers).toHaveProperty('etag', first.headers.etag);
});

test('errors, changes and responses that must not be stored have no ETag', async () => {
  const headers = { 'if-none-match': '*' };
  const { token } = await createPerson();
  for (const answer of [
    await callHandler(handler, 'GET /api/things/special', { headers }),
    await callHandler(handler, 'GET /api/secret', { headers }),
    await callHandler(handler, 'POST /api/things', {
      headers: { ...headers, 'content-type': 'application/json' },
      token,
      body: { name: 'abc' },
    }),
  ]) {
    expect(answer.status).not.toBe(304);
    expect(answer.headers).toHaveProperty('cache-control', 'no-store');
    expect(answer.headers).not.toHaveProperty('etag');
  }
});

test('a cross-site change with the session cookie is 419; reading, and any request with a bearer token, is not', async () => {
  vi.stubEnv('ALLOWED_ORIGINS', 'https://app.example.com');
  const { user, token } = await createPerson();
  const { secret } = await openSession(user);
  const body = { name: 'abc' };
  const status = async (headers: Record<string, string>, sent: object = { session: secret }) =>
    (
      await callHandler(handler, 'POST /api/things', {
        ...sent,
        body,
        headers: { 'content-type': 'application/json', ...headers },
      })
    ).status;
  expect(await status({})).toBe(200);
  expect(await status({ 'sec-fetch-site': 'same-origin', origin: 'https://api.example.com' })).toBe(200);
  expect(await status({ 'sec-fetch-site': 'none' })).toBe(200);
  expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(419);
  expect(await status({ 'sec-fetch-site': 'same-site' })).toBe(419);
  expect(await status({ origin: 'https://evil.example' })).toBe(419);
  expect(await status({ origin: 'null' })).toBe(419);
  expect(await status({ origin: 'https://d1.cloudfront.net' })).toBe(419);
  process.env.EDGE_URL = 'https://d1.cloudfront.net';
  expect(await status({ origin: 'https://d1.cloudfront.net' })).toBe(200);
  expect(await status({ origin: 'https://d2.cloudfront.net' })).toBe(419);
  delete process.env.EDGE_URL;
  expect(await status({ origin: 'https://app.example.com' })).toBe(200);
  expect(await status({ origin: 'https://api.example.com' })).toBe(200);
  expect(
    await status(
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', authorization: `Bearer ${token}` },
      {},
    ),
  ).toBe(200);
});

test('a rate limit responds with 429 and Retry-After; earlier responses contain the remaining requests', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const ip = '198.51.100.1';
  const answers = await Promise.all(Array.from({ length: 5 }, () => callHandler(handler, 'GET /api/narrow', { ip })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers[0]?.headers).toMatchObject({ 'x-ratelimit-limit': '5' });
  const refused = await callHandler(handler, 'GET /api/narrow', { ip });
  expect(refused).toMatchObject({
    status: 429,
    json: { message: 'Too Many Attempts.' },
    headers: { 'x-ratelimit-remaining': '0', 'retry-after': expect.stringMatching(/^[1-9]\d?$/) },
  });
  expect(await callHandler(handler, 'GET /api/narrow', { ip: '198.51.100.2' })).toMatchObject({ status: 200 });
});

test('an unavailable table is 503 with Retry-After', async () => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  const table = mockClient(documents);
  try {
    table.rejects(Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' }));
    expect(await callHandler(handler, 'POST /api/things', { token: `1|${'a'.repeat(40)}` })).toMatchObject({
      status: 503,
      json: { message: 'Service unavailable.' },
      headers: { 'retry-after': '5' },
    });
  } finally {
    table.restore();
  }
});

test.each([
  ['its handler', 'GET /api/endless' as const],
  ['its checks', 'GET /api/endless/1' as const],
])('a request that takes too long in %s is 503 three seconds before Lambda stops the function', async (_, request) => {
  vi.spyOn(log, 'warn').mockImplementation(() => {});
  const context = { getRemainingTimeInMillis: () => 3020 };
  expect(await handler(createGatewayEvent(request) as never, context as never)).toMatchObject({
    statusCode: 503,
    headers: { 'retry-after': '5' },
    body: expect.stringContaining('"message":"The request took too long. Try again later.","code":"request_too_slow"'),
  });
});
