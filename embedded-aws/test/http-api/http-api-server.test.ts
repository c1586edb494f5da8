import { createServer, request as httpRequest, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { type ErrorBody, listenOnLoopback } from '../../src/http/http-server.ts';
import { createHttpApi } from '../../src/http-api/http-api-server.ts';
import { createThrottle } from '../../src/http-api/throttle.ts';
import { RequestTooLarge, TooManyRequests } from '../../src/lambda/lambda-errors.ts';
import type { Invocation } from '../../src/lambda/lambda-instance.ts';
import type { StageThrottle, ThrottleSettings } from '../../src/template/read-throttle.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** So few tokens are added that the burst is all that a test has. */
const limits = (burst: number): ThrottleSettings => ({ ratePerSecond: 0.001, burst });

/** An API whose only function returns `answer`. `events` are the events that it received. */
async function apiAnswering(
  answer: unknown,
  more: { routeKey?: string; waitSeconds?: number; throttle?: Partial<StageThrottle>; errorBody?: ErrorBody } = {},
) {
  // biome-ignore lint/suspicious/noExplicitAny: events are looked into as literals
  const events: any[] = [];
  const invoke = async (_: string, event: unknown): Promise<Invocation> => {
    events.push(event);
    return typeof answer === 'function' ? answer() : { payload: answer };
  };
  const { routeKey = 'ANY /{proxy+}', throttle = {} } = more;
  const routeKeys = [...new Set([routeKey, ...(throttle.routes?.keys() ?? [])])];
  const routes = routeKeys.map((key) => ({ routeKey: key, functionName: 'f', permitted: true }));
  server = createServer(
    createHttpApi({
      routes,
      accountId: '000000000000',
      invoke,
      waitSeconds: more.waitSeconds ?? 30,
      errorBody: more.errorBody,
      throttle: { account: limits(1000), defaultRoute: limits(1000), routes: new Map(), ...throttle },
    }),
  );
  return { address: `http://127.0.0.1:${await listenOnLoopback(server)}`, events };
}

test('headers and parameters with the names of object methods are passed on', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 });
  await fetch(`${address}/a?constructor=1&toString=2&__proto__=3`, { headers: { constructor: 'x' } });
  const [{ headers, queryStringParameters }] = events;
  expect(headers.constructor).toBe('x');
  expect(JSON.stringify(queryStringParameters)).toBe('{"constructor":"1","toString":"2","__proto__":"3"}');
});

test('a request becomes an event of payload format 2.0', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 });
  await fetch(`${address}/api/a%20b?x=1&x=2&y=c+d`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: 'a=1; b=2', 'User-Agent': 'test', 'X-Twice': 'one, two' },
    body: '{"ü":1}',
  });
  const host = address.slice('http://'.length);
  expect(events).toEqual([
    {
      version: '2.0',
      routeKey: 'ANY /{proxy+}',
      rawPath: '/api/a b',
      rawQueryString: 'x=1&x=2&y=c+d',
      cookies: ['a=1', 'b=2'],
      headers: expect.objectContaining({
        host,
        'content-type': 'application/json',
        'x-twice': 'one, two',
        'content-length': '8',
      }),
      queryStringParameters: { x: '1,2', y: 'c d' },
      pathParameters: { proxy: 'api/a b' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'local',
        domainName: host,
        domainPrefix: '127',
        http: { method: 'POST', path: '/api/a b', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
        requestId: expect.any(String),
        routeKey: 'ANY /{proxy+}',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      body: '{"ü":1}',
      isBase64Encoded: false,
    },
  ]);
  expect(events[0].headers).not.toHaveProperty('cookie');
});

test('a path is decoded once, before its route is found', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 }, { routeKey: 'GET /api/videos/{ulid}/sources' });
  expect((await fetch(`${address}/api/videos%2F%C3%BC%2509/sources?a=%2F`)).status).toBe(204);
  expect(events).toMatchObject([
    { rawPath: '/api/videos/ü%09/sources', rawQueryString: 'a=%2F', pathParameters: { ulid: 'ü%09' } },
  ]);
  expect((await fetch(`${address}/api/videos/a%2Fb/sources`)).status).toBe(404);
});

test('a path that cannot be decoded stays as it is', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 });
  await fetch(`${address}/api/%ff%20`);
  expect(events).toMatchObject([{ rawPath: '/api/%ff%20', pathParameters: { proxy: 'api/%ff%20' } }]);
});

test('an empty body is omitted, and a binary body is base64', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 });
  await fetch(`${address}/x`);
  await fetch(`${address}/x`, {
    method: 'PUT',
    headers: { 'content-type': 'image/png' },
    body: new Uint8Array([255, 0]),
  });
  expect(events[0]).not.toHaveProperty('body');
  expect(events[0]).not.toHaveProperty('queryStringParameters');
  expect(events[1]).toMatchObject({ body: '/wA=', isBase64Encoded: true });
});

test('repeated headers are joined by a comma', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 });
  await new Promise((resolve) =>
    httpRequest(`${address}/x`, { headers: ['Host', 'h', 'X-A', '1', 'x-a', '2'] as never }, (answer) =>
      answer.resume().on('end', resolve),
    ).end(),
  );
  expect(events[0].headers['x-a']).toBe('1,2');
});

test('status, headers, cookies and body of the function are sent', async () => {
  const { address } = await apiAnswering({
    statusCode: 201,
    headers: { 'Content-Type': 'application/json', 'X-Number': 5 },
    cookies: ['a=1', 'b=2; HttpOnly'],
    body: '{"ok":true}',
  });
  const answer = await fetch(`${address}/x`);
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('x-number'),
    await answer.text(),
  ]).toEqual([201, 'application/json', '5', '{"ok":true}']);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2; HttpOnly']);
  expect(answer.headers.get('apigw-requestid')).toMatch(/^[0-9a-f-]{36}$/);
});

test('a base64 body is sent as bytes', async () => {
  const { address } = await apiAnswering({ statusCode: 200, body: '/wA=', isBase64Encoded: true });
  expect(new Uint8Array(await (await fetch(`${address}/x`)).arrayBuffer())).toEqual(new Uint8Array([255, 0]));
});

test('a result without a statusCode is the JSON body of a 200', async () => {
  const { address } = await apiAnswering({ hello: 'you' });
  const answer = await fetch(`${address}/x`);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    200,
    'application/json',
    '{"hello":"you"}',
  ]);
});

test('a response to HEAD has headers but no body', async () => {
  const { address } = await apiAnswering({ statusCode: 200, body: 'four' });
  const answer = await fetch(`${address}/x`, { method: 'HEAD' });
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['4', '']);
});

test.each([
  [
    'fails',
    () => ({ payload: { errorType: 'Error', errorMessage: 'secret', trace: [] }, functionError: 'Unhandled' }),
    500,
    'Internal Server Error',
  ],
  ['returns an invalid response', () => ({ payload: { statusCode: 'x' } }), 500, 'Internal Server Error'],
  ['returns a status code of no response', () => ({ payload: { statusCode: 42 } }), 500, 'Internal Server Error'],
  [
    'returns a header that is not a text',
    () => ({ payload: { statusCode: 200, headers: { a: ['b'] } } }),
    500,
    'Internal Server Error',
  ],
  [
    'returns a header with a line break',
    () => ({ payload: { statusCode: 200, headers: { a: 'b\nc: d' } } }),
    500,
    'Internal Server Error',
  ],
  ['is too slow', () => new Promise(() => {}), 503, 'Service Unavailable'],
])('a function that %s is answered with an error of the HTTP API', async (_, answer, status, message) => {
  const { address } = await apiAnswering(answer, { waitSeconds: 0.1 });
  const got = await fetch(`${address}/x`);
  expect([got.status, await got.json()]).toEqual([status, { message }]);
});

test('a path without a route is 404', async () => {
  const { address } = await apiAnswering({}, { routeKey: 'GET /a' });
  const got = await fetch(`${address}/b`);
  expect([got.status, await got.json()]).toEqual([404, { message: 'Not Found' }]);
});

test('a body over 10 MiB is rejected without an invocation', async () => {
  const { address, events } = await apiAnswering({ statusCode: 200 });
  const got = await fetch(`${address}/x`, { method: 'POST', body: new Uint8Array(10 * 1024 * 1024 + 1) });
  expect([got.status, await got.json(), events]).toEqual([413, { message: 'Request Entity Too Large' }, []]);
});

test.each([
  ['a path', () => `/${'x'.repeat(10_300)}`, {}, 414, 'URI Too Long'],
  ['headers', () => '/x', { 'x-large': 'x'.repeat(10_200) }, 431, 'Request Header Fields Too Large'],
])('%s over 10,240 bytes is refused without an invocation', async (_, path, headers, status, message) => {
  const { address, events } = await apiAnswering({ statusCode: 200 });
  const got = await fetch(address + path(), { headers: headers as Record<string, string> });
  expect([got.status, await got.json(), events]).toEqual([status, { message }, []]);
});

test('requests over the burst limit of the stage are throttled', async () => {
  const { address, events } = await apiAnswering({ statusCode: 204 }, { throttle: { defaultRoute: limits(2) } });
  const statuses = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await fetch(`${address}/x`)).status);
  expect([statuses, events.length]).toEqual([[204, 204, 429], 2]);
  expect(await (await fetch(`${address}/x`)).json()).toEqual({ message: 'Too Many Requests' });
});

test('a flood of calls of workers leaves the calls of users unaffected, and the other way round', async () => {
  const workers = new Map([['ANY /api/workers/sync', limits(3)]]);
  const { address, events } = await apiAnswering(
    { statusCode: 204 },
    { throttle: { defaultRoute: limits(5), routes: workers } },
  );
  const statusesOf = (method: string, path: string, count: number) =>
    Promise.all(Array.from({ length: count }, async () => (await fetch(address + path, { method })).status));
  const flood = await statusesOf('POST', '/api/workers/sync', 20);
  expect(flood.filter((status) => status === 204)).toHaveLength(3);
  expect(flood.filter((status) => status === 429)).toHaveLength(17);
  expect(await statusesOf('GET', '/api/videos', 5)).toEqual([204, 204, 204, 204, 204]);
  expect(events).toHaveLength(8);
  expect(await statusesOf('GET', '/api/workers/sync/other', 1)).toEqual([429]);
  const refused = await fetch(`${address}/api/workers/sync`, { method: 'POST' });
  expect(await refused.json()).toEqual({ message: 'Too Many Requests' });
});

test('all routes together have the limits of the account', () => {
  const account = { ratePerSecond: 0.001, burst: 4 };
  const take = createThrottle({ account, defaultRoute: limits(3), routes: new Map([['GET /a', limits(2)]]) }, () => 0);
  expect([take('GET /a'), take('GET /a'), take('GET /a')]).toEqual([true, true, false]);
  expect([take('GET /b'), take('GET /b'), take('GET /b')]).toEqual([true, true, false]);
});

test('a stage allows its rate again after a burst', () => {
  let nowMs = 0;
  const defaultRoute = { ratePerSecond: 10, burst: 2 };
  const throttle = createThrottle({ account: limits(1000), defaultRoute, routes: new Map() }, () => nowMs);
  const take = () => throttle(undefined);
  expect([take(), take(), take()]).toEqual([true, true, false]);
  nowMs = 99;
  expect(take()).toBe(false);
  nowMs = 150;
  expect([take(), take()]).toEqual([true, false]);
  nowMs = 60_000;
  expect([take(), take(), take()]).toEqual([true, true, false]);
});

test.each([
  ['throttles the function', new TooManyRequests(), 503, 'Service Unavailable'],
  ['refuses an event over 6 MB', new RequestTooLarge(6 * 1024 * 1024), 413, 'Request Entity Too Large'],
])('when Lambda %s, the API answers with an error', async (_, error, status, message) => {
  const { address } = await apiAnswering(() => Promise.reject(error));
  const got = await fetch(`${address}/x`);
  expect([got.status, await got.json()]).toEqual([status, { message }]);
});

test('the body of an error of the API itself can be replaced, with its ID in a header', async () => {
  const { address } = await apiAnswering(
    { statusCode: 204 },
    { routeKey: 'GET /a', errorBody: (problem) => ({ problem }) },
  );
  const answer = await fetch(`${address}/b`);
  const requestId = answer.headers.get('x-request-id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { problem: { status: 404, message: 'Not Found', requestId } },
  ]);
});
