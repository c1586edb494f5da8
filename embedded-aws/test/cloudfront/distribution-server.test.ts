import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { resources, templateOf } from '../../src/testing/distribution-template.ts';
import { runDistribution } from '../../src/testing/running-distribution.ts';
import { bytes } from '../s3/running.ts';

type Running = Awaited<ReturnType<typeof runDistribution>>;

const film = bytes(9 * 2 ** 20);
const playlist = `#EXTM3U\n${'#EXTINF:4,\nsegment.m4s\n'.repeat(100)}`;
let edge: Running;
const get = (path: string, init?: RequestInit) => edge.get(path, init);

beforeAll(async () => {
  edge = await runDistribution();
  await edge.put('videos/1/a.m4s', 'segment', { ContentType: 'video/mp4', Metadata: { secret: 'x', shown: 'y' } });
  await edge.put('videos/1/film.mp4', film, { ContentType: 'video/mp4' });
  await edge.put('videos/1/list.m3u8', playlist, { ContentType: 'application/vnd.apple.mpegurl' });
  await edge.put('videos/1/empty.bin', Buffer.alloc(0));
  await edge.put('uploads/1', 'private');
});
afterAll(() => edge.close());
beforeEach(() => {
  for (const list of [edge.reads, edge.records, edge.lines, edge.seen]) list.length = 0;
});

test('a file of the bucket has its headers and those of the policies', async () => {
  const answer = await get('/s/token/videos/1/a.m4s', { headers: { origin: 'https://a.example' } });
  expect([answer.status, await answer.text()]).toEqual([200, 'segment']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag',
    'content-length': '7',
    'content-type': 'video/mp4',
    etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
    'strict-transport-security': 'max-age=100',
    via: '1.1 demo-distribution.cloudfront.net (CloudFront)',
    'x-amz-meta-shown': 'y',
    'x-cache': 'Miss from cloudfront',
    'x-content-type-options': 'nosniff',
    'x-own': '1',
  });
  expect(answer.headers.has('x-amz-meta-secret')).toBe(false);
});

test('CORS headers are added to requests with an origin only', async () => {
  const answer = await get('/s/token/videos/1/a.m4s');
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('a missing object is 404, because the policy of the bucket allows the distribution to list it', async () => {
  const answer = await get('/s/token/videos/1/none');
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('<Code>NoSuchKey</Code>')]);
});

test('what the policy of the bucket does not allow is 403', async () => {
  expect((await get('/s/token/uploads/1')).status).toBe(403);
});

test.each([
  ['without origin access control', { Distribution: withoutAccessControl() }],
  ['of another distribution', { BucketPolicy: policyForAnother() }],
])('a distribution %s reads nothing', async (_, changes) => {
  const other = await runDistribution(templateOf(changes));
  await other.put('videos/1/a.m4s', 'segment');
  expect((await other.get('/s/token/videos/1/a.m4s')).status).toBe(403);
  await other.close();
});

test('a response of a function does not reach the origin', async () => {
  const answer = await get('/s/denied/videos/1/a.m4s');
  expect([answer.status, await answer.text()]).toEqual([403, '{"message":"no"}']);
  expect(answer.headers.get('x-cache')).toBe('FunctionGeneratedResponse from cloudfront');
  expect(edge.reads).toEqual([]);
});

test('a method that the behaviour does not allow is 403', async () => {
  expect((await get('/s/token/videos/1/list.m3u8', { method: 'PUT', body: 'x' })).status).toBe(403);
  expect((await get('/s/token/videos/1/a.m4s', { method: 'OPTIONS' })).status).toBe(204);
});

test('HEAD has the headers of GET without a body', async () => {
  const answer = await get('/s/token/videos/1/film.mp4', { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '9437184', '']);
});

test.each([
  ['bytes=0-3', 0, 4],
  ['bytes=4194300-4194310', 4_194_300, 4_194_311],
  ['bytes=100-8388999', 100, 8_389_000],
  ['bytes=9437180-', 9_437_180, 9_437_184],
  ['bytes=-5', 9_437_179, 9_437_184],
])('the range %s is 206', async (range, start, end) => {
  const answer = await get('/s/token/videos/1/film.mp4', { headers: { range } });
  expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/9437184`);
  expect(Buffer.from(await answer.arrayBuffer()).equals(film.subarray(start, end))).toBe(true);
  expect(answer.status).toBe(206);
});

test('several ranges are the whole file, and a range outside of it is 416', async () => {
  const answer = await get('/s/token/videos/1/a.m4s', { headers: { range: 'bytes=0-1,3-4' } });
  expect([answer.status, await answer.text()]).toEqual([200, 'segment']);
  const outside = await get('/s/token/videos/1/a.m4s', { headers: { range: 'bytes=99-' } });
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, 'bytes */7']);
  const beyond = await get('/s/token/videos/1/empty.bin', { headers: { range: 'bytes=5000000-' } });
  expect(beyond.status).toBe(416);
  expect((await get('/s/token/videos/1/empty.bin')).status).toBe(200);
});

test('conditions are evaluated', async () => {
  const { headers } = await get('/s/token/videos/1/a.m4s');
  const status = async (given: Record<string, string>) =>
    (await get('/s/token/videos/1/a.m4s', { headers: given })).status;
  expect([
    await status({ 'if-none-match': headers.get('etag')! }),
    await status({ 'if-none-match': '"other"' }),
    await status({ 'if-match': '"other"' }),
    await status({ 'if-modified-since': headers.get('last-modified')! }),
    await status({ range: 'bytes=0-1', 'if-range': headers.get('etag')! }),
    await status({ range: 'bytes=0-1', 'if-range': '"other"' }),
  ]).toEqual([304, 200, 412, 304, 206, 200]);
});

test('text is compressed where policy and behaviour say so, media is not', async () => {
  const accept = (encodings: string, path = 'list.m3u8') =>
    get(`/s/token/videos/1/${path}`, { headers: { 'accept-encoding': encodings } });
  const compressed = await accept('gzip, br');
  expect(Object.fromEntries(compressed.headers)).toMatchObject({
    'content-encoding': 'br',
    etag: expect.stringMatching(/^W\//),
    vary: 'Accept-Encoding',
  });
  expect(await compressed.text()).toBe(playlist);
  expect((await accept('br;q=0, gzip')).headers.get('content-encoding')).toBe('gzip');
  expect((await accept('identity')).headers.get('content-encoding')).toBeNull();
  expect((await accept('gzip', 'a.m4s')).headers.get('content-encoding')).toBeNull();
});

test('the function of the response sees the query, which is not part of the cache key', async () => {
  const first = await get('/s/token/videos/1/a.m4s?name=one');
  const second = await get('/s/token/videos/1/a.m4s?name=two');
  expect([first, second].map(({ headers }) => headers.get('content-disposition'))).toEqual([
    'attachment; filename=one',
    'attachment; filename=two',
  ]);
  expect(second.headers.get('x-cache')).toBe('Hit from cloudfront');
});

test('the API gets all headers of the viewer except Host, its body, and what the distribution adds', async () => {
  edge.respondApi((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    response.end('{"ok":true}');
  });
  const answer = await get('/api/things?a=1&b=%20x', {
    method: 'POST',
    body: '{"x":1}',
    headers: {
      origin: 'https://app.example',
      cookie: 'session=s; other=o',
      'x-origin-secret': 'forged',
      'x-viewer-address': 'forged',
      'cloudfront-viewer-address': 'forged',
      'x-forwarded-for': '192.0.2.1',
    },
  });
  expect([answer.status, await answer.text()]).toEqual([201, '{"ok":true}']);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  const [{ request, body }] = edge.seen as [(typeof edge.seen)[number]];
  expect([request.method, request.url, body]).toEqual(['POST', '/api/things?a=1&b=%20x', '{"x":1}']);
  expect(request.headers).toMatchObject({
    host: 'api.execute-api.local-1.amazonaws.com',
    origin: 'https://app.example',
    cookie: 'session=s; other=o',
    'x-origin-secret': 'secret',
    'x-viewer-address': '127.0.0.1',
    'x-forwarded-for': '192.0.2.1, 127.0.0.1',
    'content-length': '7',
    via: expect.stringContaining('(CloudFront)'),
  });
  expect(request.headers).not.toHaveProperty('cloudfront-viewer-address');
});

test('a header whose value is the name of another one replaces no header', async () => {
  edge.respondApi((_, response) => void response.writeHead(204).end());
  const answer = await get('/api/things', {
    method: 'POST',
    body: '{"x":1}',
    headers: { 'x-a': 'host', 'x-b': 'user-agent', 'x-c': 'content-length', 'user-agent': 'test' },
  });
  expect(answer.status).toBe(204);
  const [{ request }] = edge.seen as [(typeof edge.seen)[number]];
  expect(request.headers).toMatchObject({
    'x-a': 'host',
    'x-b': 'user-agent',
    'x-c': 'content-length',
    host: 'api.execute-api.local-1.amazonaws.com',
    'user-agent': 'test',
    'content-length': '7',
  });
});

test('with caching disabled, a response of the API is not kept, but a 404 is, for ten seconds', async () => {
  let answers = 0;
  edge.respondApi((_, response) => {
    answers += 1;
    response.writeHead(answers < 3 ? 200 : answers === 3 ? 404 : 403).end(String(answers));
  });
  const ask = async () => (await get('/api/one')).text();
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual(['1', '2', '3', '3']);
  edge.clock.nowMs += 10_000;
  // The template sets the time for 403 to 0.
  expect([await ask(), await ask()]).toEqual(['4', '5']);
});

test('an origin that compresses gets the accepted encodings of the cache policy, which are part of the key', async () => {
  edge.respondApi((request, response) => {
    const [encoding] = (request.headers['accept-encoding'] ?? 'none').split(',');
    response.writeHead(200, { 'cache-control': 'public, max-age=31536000, immutable' }).end(`as ${encoding}`);
  });
  const ask = async (accepted: string, more: Record<string, string> = {}) => {
    const answer = await get('/assets/a.js', { headers: { 'accept-encoding': accepted, ...more } });
    return [answer.headers.get('x-cache')!.split(' ')[0], await answer.text()];
  };
  expect([
    await ask('gzip, deflate, br, zstd', { cookie: 'session=s', accept: 'text/html' }),
    await ask('br;q=0.9, gzip'),
    await ask('br;q=0, gzip'),
    await ask('gzip, deflate'),
    await ask('identity'),
  ]).toEqual([
    ['Miss', 'as br'],
    ['Hit', 'as br'],
    ['Miss', 'as gzip'],
    ['Hit', 'as gzip'],
    ['Miss', 'as none'],
  ]);
  const [{ headers }] = (edge.seen as [(typeof edge.seen)[number]]).map(({ request }) => request) as [IncomingMessage];
  expect(headers['accept-encoding']).toBe('br,gzip');
  expect(headers).not.toHaveProperty('cookie');
  expect(headers).not.toHaveProperty('accept');
});

test('an origin that fails is 502', async () => {
  edge.respondApi(() => {
    throw new Error('broken');
  });
  const answer = await get('/api/broken');
  expect([answer.status, answer.headers.get('x-cache')]).toEqual([502, 'Error from cloudfront']);
  expect(edge.lines).toEqual(['origin: Error: broken']);
  edge.clock.nowMs += 60_000;
});

test('a function that fails is 503, one with an invalid result 502', async () => {
  const failing = (code: string) => ({
    ...resources.Rewrite!,
    Properties: { ...resources.Rewrite!.Properties, FunctionCode: code },
  });
  const statuses = async (code: string) => {
    const other = await runDistribution(templateOf({ Rewrite: failing(code) }));
    const { status } = await other.get('/s/token/videos/1/a.m4s');
    await other.close();
    return status;
  };
  expect(await statuses('function handler() { throw new Error("x"); }')).toBe(503);
  expect(await statuses('function handler(event) { return { uri: "no slash" }; }')).toBe(502);
});

function withoutAccessControl() {
  const text = JSON.stringify(resources.Distribution).replace(/"OriginAccessControlId":\{[^}]*\},/, '');
  return JSON.parse(text);
}

function policyForAnother() {
  const text = JSON.stringify(resources.BucketPolicy).replaceAll('"Ref":"Distribution"', '"Ref":"Api"');
  return JSON.parse(text);
}
