import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, HeadObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createProxy } from '../../../../infra/local/proxy/proxy-server.ts';
import { listen } from '../../../../infra/local/server/listen.ts';
import type { Access } from '../../../../shared/delivery/access-log.ts';
import signedUrl from '../../../../shared/delivery/signed-url.js';

const videoUlid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const secret = Buffer.alloc(32, 1).toString('base64url');
const nowMs = Date.parse('2026-11-21T10:00:00Z');
const store = mockClient(S3Client);

let server: Server;
let address: string;
let accesses: Access[];

beforeAll(async () => {
  const proxy = createProxy({
    name: 'local',
    store: store as unknown as S3Client,
    bucket: 'media',
    signingKeys: () => ({ k1: secret }),
    onAccess: (access) => accesses.push(access),
    now: () => nowMs,
  });
  server = createServer(proxy);
  address = `http://127.0.0.1:${await listen(server, 0)}`;
});
afterAll(() => server.close());
beforeEach(() => {
  accesses = [];
  store.reset();
});

const path = (file: string, expiresSeconds = nowMs / 1000 + 60) =>
  signedUrl.signPath({ keyId: 'k1', secret, expiresSeconds, session: 's1', objectKey: `videos/${videoUlid}/${file}` });
const body = (text: string) => Readable.from([text]) as never;
const storeError = (name: string, status: number) =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode: status }, message: name });

test('a signed path returns the object with its type and cache headers', async () => {
  store.on(GetObjectCommand).resolves({ Body: body('#EXTM3U'), ContentLength: 7, ETag: '"e"' });
  const answer = await fetch(address + path('01K9Z3R4E5F6G7H8J9K0M1N2P3/master.m3u8'));
  expect([answer.status, await answer.text()]).toEqual([200, '#EXTM3U']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Content-Length, Content-Range, Accept-Ranges, ETag, Date',
    'accept-ranges': 'bytes',
    'cache-control': 'public, max-age=60',
    'content-length': '7',
    'content-type': 'application/vnd.apple.mpegurl',
    etag: '"e"',
  });
  expect(store.call(0).args[0].input).toEqual({
    Bucket: 'media',
    Key: `videos/${videoUlid}/01K9Z3R4E5F6G7H8J9K0M1N2P3/master.m3u8`,
  });
});

test('a range request is forwarded and answered with 206', async () => {
  store.on(GetObjectCommand).resolves({ Body: body('ab'), ContentLength: 2, ContentRange: 'bytes 0-1/9' });
  const answer = await fetch(address + path('r1/v720-a1/1.m4s'), { headers: { range: 'bytes=0-1' } });
  expect([answer.status, answer.headers.get('content-range'), answer.headers.get('cache-control')]).toEqual([
    206,
    'bytes 0-1/9',
    'public, max-age=31536000, immutable',
  ]);
  expect(store.call(0).args[0].input).toMatchObject({ Range: 'bytes=0-1' });
});

test('an MP4 is downloaded with the file name in its URL', async () => {
  store.on(GetObjectCommand).callsFake(() => ({ Body: body('ab'), ContentLength: 2 }));
  const name = 'h%20%C3%BC.mp4';
  const asked = async (target: string) => (await fetch(address + target)).headers.get('content-disposition');
  expect(await asked(`${path('r1/video.mp4')}?name=${name}&download=1`)).toBe(
    `attachment; filename="${name}"; filename*=UTF-8''${name}`,
  );
  expect(await asked(`${path('r1/video.mp4')}?name=${name}`)).toBeNull();
  expect(await asked(`${path('1/master.m3u8')}?name=${name}&download=1`)).toBeNull();
});

test('HEAD returns only headers', async () => {
  store.on(HeadObjectCommand).resolves({ ContentLength: 9 });
  const answer = await fetch(address + path('x/file.mp4'), { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual([
    200,
    '9',
    'video/mp4',
  ]);
});

test.each([
  ['expired', () => path('a.mp4', nowMs / 1000 - 1), 410],
  ['tampered', () => path('a.mp4').replace(/\.[A-Za-z0-9_-]{43}/, `.${'A'.repeat(43)}`), 403],
  ['of another video', () => path('a.mp4').replace(videoUlid, videoUlid.replace('3', '4')), 403],
  ['of an unknown key', () => path('a.mp4').replace('/k1.', '/k2.'), 403],
  ['with an encoded slash', () => `${path('a')}%2fb`, 400],
  ['unsigned', () => `/videos/${videoUlid}/a.mp4`, 403],
])('a path that is %s is rejected without a request to the store', async (_, refused, status) => {
  const answer = await fetch(address + refused());
  expect([answer.status, store.calls().length]).toEqual([status, 0]);
});

test.each([
  ['NoSuchKey', 404, 404],
  ['NotModified', 304, 304],
  ['InvalidRange', 416, 416],
  ['InternalError', 500, 502],
])('the error %s of the store (%i) is answered with %i', async (name, status, expected) => {
  store.on(GetObjectCommand).rejects(storeError(name, status));
  expect((await fetch(address + path('a.mp4'))).status).toBe(expected);
});

test('the request to the store is aborted only when the client leaves before the end', async () => {
  const signal = (call: number) =>
    ((store.call(call).args as unknown[])[1] as { abortSignal: AbortSignal }).abortSignal;
  store.on(GetObjectCommand).callsFake(() => ({ Body: body('ab'), ContentLength: 2 }));
  await (await fetch(address + path('a.mp4'))).text();
  await sleep(20);
  expect(signal(0).aborted).toBe(false);

  const endless = new Readable({ read() {} });
  endless.push('a');
  store.on(GetObjectCommand).callsFake(() => ({ Body: endless, ContentLength: 2 }));
  const leave = new AbortController();
  await fetch(address + path('a.mp4'), { signal: leave.signal });
  leave.abort();
  await expect.poll(() => signal(1).aborted).toBe(true);
});

test('pages of any origin may send requests, with a range', async () => {
  const answer = await fetch(address + path('a.mp4'), { method: 'OPTIONS' });
  expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'Range, If-None-Match, If-Modified-Since',
  ]);
});

test('only GET, HEAD and OPTIONS are allowed', async () => {
  const answer = await fetch(address + path('a.mp4'), { method: 'PUT', body: 'x' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('the health check returns the name of the node', async () => {
  expect(await (await fetch(`${address}/healthz`)).json()).toEqual({ status: 'ok', node: 'local' });
});

test('each request is one line of the access log, without the token', async () => {
  store.on(GetObjectCommand).resolves({ Body: body('ab'), ContentLength: 2 });
  const signed = path('a.mp4');
  await (await fetch(address + signed, { headers: { 'user-agent': 'player' } })).text();
  await fetch(address + path('a.mp4', 1));
  await expect.poll(() => accesses.length).toBe(2);
  expect(accesses).toEqual([
    {
      time: '2026-11-21T10:00:00.000Z',
      node: 'local',
      method: 'GET',
      path: `/videos/${videoUlid}/a.mp4`,
      session: 's1',
      status: 200,
      bytes: expect.any(Number),
      durationSeconds: 0,
      remoteAddress: '127.0.0.1',
      userAgent: 'player',
    },
    expect.objectContaining({ path: `/s/-/videos/${videoUlid}/a.mp4`, status: 410 }),
  ]);
  expect(accesses[0]!.bytes).toBeGreaterThan(2);
  expect(JSON.stringify(accesses)).not.toContain(signed.split('/')[2]);
});
