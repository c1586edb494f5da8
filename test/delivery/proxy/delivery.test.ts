import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { growingCacheControl } from '../../../delivery/urls/delivered-headers.ts';
import { signedUrlAnswers } from '../../fixtures/signed-url-answers.ts';
import {
  keys,
  nodeUlid,
  type Origin,
  type RunningProxy,
  signed,
  startOrigin,
  startProxy,
  videoUlid,
} from './running-proxy.ts';

const film = createHash('shake256', { outputLength: 9 * 2 ** 20 })
  .update('film')
  .digest();
const segment = 'r1/v720-a1/1.m4s';
const [publicUlid, privateUlid, deniedUlid, formerUlid] = ['4', '5', '6', '7'].map(
  (end) => `${videoUlid.slice(0, -1)}${end}`,
) as [string, string, string, string];
const publicPath = (file: string, ulid = publicUlid): string => `/p/${ulid}/${file}`;
/** Where the images are tested, the proxy is a container. */
const engine = inject('engine');
let origin: Origin;
let proxy: RunningProxy;
let cdn: RunningProxy;

beforeAll(async () => {
  origin = await startOrigin();
  for (const [file, Body] of [
    ['x/film.mp4', film],
    ['x/cold.mp4', film],
    [segment, 'segment'],
    ['r1/v720-a1/2.m4s', film],
    ['r1/v720-a1/3.m4s', 'third'],
    ['x/master.m3u8', '#EXTM3U'],
    ['thumbnails/sprite.vtt', 'WEBVTT\n\n00:00.000 --> 00:05.000\nsprite-001.jpg#xywh=0,0,160,90\n'],
    ['thumbnails/sprite-001.jpg', 'image'],
  ] as const) {
    await origin.store.send(
      new PutObjectCommand({
        Bucket: origin.bucket,
        Key: `videos/${videoUlid}/${file}`,
        Body,
        ContentType: 'wrong/type',
      }),
    );
  }
  for (const [ulid, file, Body] of [
    [publicUlid, 'public', '1'],
    [publicUlid, 'x/master.m3u8', '#EXTM3U'],
    [publicUlid, 'x/film.mp4', film],
    [publicUlid, segment, 'segment'],
    [privateUlid, segment, 'segment'],
    [deniedUlid, 'public', '1'],
    [deniedUlid, 'r1/1.m4s', 'segment'],
    [deniedUlid, 'x/film.mp4', 'film'],
  ] as const) {
    await origin.store.send(new PutObjectCommand({ Bucket: origin.bucket, Key: `videos/${ulid}/${file}`, Body }));
  }
  [proxy, cdn] = await Promise.all([startProxy(origin, {}, engine), startProxy(origin, { cdnMode: true }, engine)]);
});
afterAll(async () => {
  await Promise.all([proxy.close(), cdn.close()]);
  await origin.close();
});
beforeEach(() => {
  origin.requests.length = 0;
});

const range = (text: string): RequestInit => ({ headers: { range: text } });
const bodyOf = async (answer: Response): Promise<Buffer> => Buffer.from(await answer.arrayBuffer());

describe.each([
  ['with a cache', () => proxy],
  ['behind a CDN', () => cdn],
])('a proxy %s', (_, running) => {
  const get = (path: string, init?: RequestInit) => running().get(path, init);

  test('answers a signed path with the object, its content type and CORS headers for any origin', async () => {
    const answer = await get(signed('x/master.m3u8'));
    expect([answer.status, await answer.text()]).toEqual([200, '#EXTM3U']);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Content-Length, Content-Range, Accept-Ranges, ETag, Date',
      'content-type': 'application/vnd.apple.mpegurl',
      'content-length': '7',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      server: 'nginx',
    });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-amz'))).toEqual([]);
  });

  test('accepts both signing keys during a rotation', async () => {
    const answers = await Promise.all([
      get(signed(segment)),
      get(signed(segment, { keyId: 'k2', secret: keys.k2 })),
      get(`${signed(segment)}?_HLS_msn=3`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('delivers a large file completely', async () => {
    const answer = await get(signed('x/film.mp4'));
    expect([answer.status, (await bodyOf(answer)).equals(film)]).toEqual([200, true]);
  });

  test.each([
    ['within the first slice', 'bytes=5-9', 5, 10],
    ['over the edge of two slices', 'bytes=4194300-4194309', 4194300, 4194310],
    ['without an end', 'bytes=9437000-', 9437000, film.length],
    ['at the end', 'bytes=-100', film.length - 100, film.length],
    ['longer than the file', 'bytes=9437000-99999999', 9437000, film.length],
  ])('answers a range %s with 206', async (_name, header, start, end) => {
    const answer = await get(signed('x/film.mp4'), range(header));
    expect([answer.status, answer.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${end - 1}/${film.length}`,
    ]);
    expect((await bodyOf(answer)).equals(film.subarray(start, end))).toBe(true);
  });

  test('answers a range outside the file with 416', async () => {
    const answer = await get(signed('x/film.mp4'), range('bytes=99999999-'));
    expect([answer.status, await answer.json()]).toEqual([416, { message: 'The range is not within the file.' }]);
  });

  test('answers HEAD with the length of the whole file and no body', async () => {
    const answer = await get(signed('x/film.mp4'), { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length'), (await bodyOf(answer)).length]).toEqual([
      200,
      String(film.length),
      0,
    ]);
  });

  test('answers 304 to a conditional request for an unchanged file', async () => {
    const etag = (await get(signed(segment))).headers.get('etag')!;
    expect((await get(signed(segment), { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('delivers a storyboard and its images', async () => {
    const answer = await get(signed('thumbnails/sprite.vtt'));
    expect(answer.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    const [name = ''] = /^sprite.*$/m.exec(await answer.text()) ?? [];
    const image = await fetch(new URL(name, answer.url));
    expect([image.status, image.headers.get('content-type'), await image.text()]).toEqual([200, 'image/jpeg', 'image']);
  });

  test('sends an MP4 as a download with the name in its URL', async () => {
    const name = 'h%20%C3%BC%22.mp4';
    const disposition = `attachment; filename="${name}"; filename*=UTF-8''${name}`;
    const asked = async (path: string, init?: RequestInit) => {
      const answer = await get(path, init);
      await bodyOf(answer);
      return [answer.status, answer.headers.get('content-disposition')];
    };
    expect(await asked(`${signed('x/film.mp4')}?name=${name}&download=1`)).toEqual([200, disposition]);
    expect(await asked(`${signed('x/film.mp4')}?name=${name}&download=1`, range('bytes=5-9'))).toEqual([
      206,
      disposition,
    ]);
    expect(await asked(`${signed('x/film.mp4')}?name=${name}`)).toEqual([200, null]);
    expect(await asked(`${signed('x/film.mp4')}?name=a%0D%0Ab&download=1`)).toEqual([200, null]);
    expect(await asked(`${signed('x/master.m3u8')}?name=${name}&download=1`)).toEqual([200, null]);
  });

  test('answers 404 for a missing object', async () => {
    const answer = await get(signed('r1/none.m4s'));
    expect([answer.status, await answer.json(), answer.headers.get('cache-control')]).toEqual([
      404,
      { message: 'Not found.' },
      'no-store',
    ]);
  });

  test('answers the preflight of any origin, with Range', async () => {
    const answer = await get(signed(segment), { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Range, If-None-Match, If-Modified-Since',
      'access-control-max-age': '86400',
    });
  });

  test('names its node and its connections in the health check', async () => {
    const answer = await get('/healthz');
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ok', node: nodeUlid }]);
    expect(answer.headers.get('x-connections')).toMatch(/^[1-9]\d*$/);
  });

  test('answers each signed URL as every implementation does, and asks the store for accepted ones only', async () => {
    for (const { name, method, target, status, message } of signedUrlAnswers) {
      origin.requests.length = 0;
      const { answer, body } = await sent(running().address, target, method);
      const reason = message === undefined ? body : JSON.parse(body).message;
      expect([name, answer.statusCode, reason]).toEqual([name, status, message ?? body]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      if (status === 405) expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      if (status !== 200) expect([name, origin.requests]).toEqual([name, []]);
    }
  });

  test('refuses the path of an object without a signature', async () => {
    const answer = await get(`/videos/${videoUlid}/${segment}`);
    expect([answer.status, await answer.json()]).toEqual([403, { message: 'Not delivered: not signed.' }]);
  });
});

describe('a signed URL that a proxy has checked before', () => {
  /** A new signed URL with the given lifetime that both workers have probably checked. */
  async function seenLink(seconds = 3600): Promise<string> {
    const path = signed(segment, { session: `seen-${++links}`, expiresSeconds: Date.now() / 1000 + seconds });
    const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get(path)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await notes()).some((note) => note.includes(`seen-${links}.`))).toBe(true);
    return path;
  }
  let links = 0;
  const notes = () => readdir(join(proxy.folder, 'run/checked-urls'), { recursive: true });

  test('expires nevertheless', async () => {
    // On a busy machine the shorter lifetime may pass before the first check.
    const path = await seenLink(3).catch(() => seenLink(30));
    const statuses = new Set<number>([200]);
    await expect
      .poll(async () => {
        const { status } = await proxy.get(path);
        statuses.add(status);
        return status;
      })
      .toBe(410);
    expect(await (await proxy.get(path)).json()).toEqual({ message: 'Not delivered: expired.' });
    expect(statuses).toEqual(new Set([200, 410]));
  });

  test('gives access to its own video only', async () => {
    const path = await seenLink();
    const token = path.split('/videos/')[0];
    const sent = [
      otherVideo(path),
      `${token}/uploads/${videoUlid}/${segment}`,
      `${token}/videos/${videoUlid}`,
      `${token}/videos/${videoUlid}/x//1.m4s`,
      `${token}/videos/${videoUlid}/%31.m4s`,
      `${token}/videos/${videoUlid}/r1/../../${videoUlid.replace('3', '4')}/1.m4s`,
      `${token}/videos/${videoUlid}/..`,
      `${token}/videos/${videoUlid}/r1/.?x`,
    ];
    const statuses = await Promise.all(sent.map((one) => statusOf(proxy.address, one)));
    expect(statuses).toEqual([403, 403, 403, 400, 400, 400, 400, 400]);
  });

  test('gives access to all files of its video', async () => {
    const path = await seenLink();
    const answer = await proxy.get(path.replace(segment, 'x/film.mp4'), range('bytes=4194300-4194309'));
    expect([answer.status, (await bodyOf(answer)).equals(film.subarray(4194300, 4194310))]).toEqual([206, true]);
    expect((await proxy.get(path.replace(segment, 'r1/none.m4s'))).status).toBe(404);
    expect(await (await proxy.get(`${path}?_HLS_msn=3`)).text()).toBe('segment');
  });

  test('is refused for other methods like any other URL', async () => {
    const path = await seenLink();
    const answers = await Promise.all(['HEAD', 'OPTIONS', 'PUT'].map((method) => proxy.get(path, { method })));
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 405]);
  });

  test('is refused with a changed character in expiry, session or signature', async () => {
    const path = await seenLink();
    const token = path.split('/')[2]!;
    const changes = [...token].map((character, at) =>
      path.replace(token, `${token.slice(0, at)}${character === '1' ? '2' : '1'}${token.slice(at + 1)}`),
    );
    const statuses = await Promise.all(changes.map(async (changed) => (await proxy.get(changed)).status));
    expect(new Set(statuses)).toEqual(new Set([403]));
  });

  test('is not remembered if it is refused or the proxy is behind a CDN', async () => {
    await proxy.get(signed(segment, { session: 'forged', secret: keys.k2 }));
    await proxy.get(signed(segment, { session: 'late', expiresSeconds: Date.now() / 1000 - 2 }));
    await cdn.get(signed(segment, { session: 'cdn' }));
    expect((await notes()).filter((note) => /forged|late/.test(note))).toEqual([]);
    expect(await readdir(join(cdn.folder, 'run/checked-urls'))).toEqual([]);
  });
});

const otherVideo = (path: string): string => path.replace(videoUlid, videoUlid.replace('3', '4'));

/** fetch resolves dots before it sends a path. */
async function sent(address: string, path: string, method = 'GET'): Promise<{ answer: IncomingMessage; body: string }> {
  const { hostname, port } = new URL(address);
  const [answer] = (await once(request({ hostname, port, path, method }).end(), 'response')) as [IncomingMessage];
  return { answer, body: await text(answer) };
}

const statusOf = async (address: string, path: string): Promise<number | undefined> =>
  (await sent(address, path)).answer.statusCode;

describe.each([
  ['with a cache', () => proxy],
  ['behind a CDN', () => cdn],
])('a public video on a proxy %s', (_, running) => {
  const open = (file: string, init?: RequestInit) => running().get(publicPath(file), init);

  test('plays without a signature like a signed one', async () => {
    const [manifest, part, head] = await Promise.all([
      open('x/master.m3u8'),
      open('x/film.mp4?name=a.mp4&download=1', range('bytes=4194300-4194309')),
      open(segment, { method: 'HEAD' }),
    ]);
    expect([manifest.status, await manifest.text()]).toEqual([200, '#EXTM3U']);
    expect(manifest.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    expect([part.status, (await bodyOf(part)).equals(film.subarray(4194300, 4194310))]).toEqual([206, true]);
    expect(part.headers.get('content-disposition')).toMatch(/^attachment; filename="a.mp4"/);
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '7']);
    expect((await open('r1/none.m4s')).status).toBe(404);
  });

  test('answers refused requests like those with a signature', async () => {
    const other = await running().get(publicPath(segment, privateUlid));
    expect([other.status, await other.json()]).toEqual([404, { message: 'Not found.' }]);
    const answers = await Promise.all([
      ...['PUT', 'DELETE'].map((method) => open(segment, { method })),
      ...['r1//1.m4s', 'r1/%31.m4s'].map((file) => open(file)),
      ...[`/p/${publicUlid}`, '/p/x/1.m4s', `/p/videos/${publicUlid}/${segment}`].map((path) => running().get(path)),
      open(segment, { method: 'OPTIONS' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([405, 405, 400, 400, 404, 404, 404, 204]);
  });
});

test('a video that the service denies stops playing at once, also from the cache of a proxy without its store', async () => {
  const deny = (session: string) => {
    const objectKey = `videos/${deniedUlid}/all`;
    return proxy.get(signed('', { objectKey, session }), { method: 'DELETE' });
  };
  const paths = ['r1/1.m4s', 'x/film.mp4'].flatMap((file) => [
    signed('', { objectKey: `videos/${deniedUlid}/${file}` }),
    publicPath(file, deniedUlid),
  ]);
  const statuses = () => Promise.all(paths.map(async (path) => (await proxy.get(path)).status));
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  expect((await deny('viewer-1')).status).toBe(405);
  await origin.stop();
  try {
    expect((await deny('deleted')).status).toBe(204);
    expect((await deny('deleted')).status).toBe(204);
    expect(await statuses()).toEqual([404, 404, 404, 404]);
    expect((await proxy.get(signed(segment))).status).toBe(200);
  } finally {
    await origin.start();
  }
});

test('200 viewers of an uncached file cause one read of each slice', async () => {
  const overTheEdge = range('bytes=4190000-4199999');
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => bodyOf(await proxy.get(signed('x/cold.mp4'), overTheEdge))),
  );
  expect(answers.every((body) => body.equals(film.subarray(4_190_000, 4_200_000)))).toBe(true);
  expect(origin.requests.toSorted()).toEqual([
    expect.stringMatching(/^GET bytes=0-4194303 /),
    expect.stringMatching(/^GET bytes=4194304-8388607 /),
  ]);
});

test('1,000 viewers of an uncached segment cause one read of the whole segment, also for ranges', async () => {
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async () => bodyOf(await proxy.get(signed('r1/v720-a1/2.m4s'), range('bytes=5-9')))),
  );
  expect(answers.every((body) => body.equals(film.subarray(5, 10)))).toBe(true);
  expect(origin.requests).toEqual([expect.stringMatching(/^GET - /)]);
});

test('1,000 viewers whose players say different things cause one read, and the store gets nothing of it', async () => {
  const bodies = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const argument = `CMCD=bl%3D${index}00%2Csid%3D%22viewer-${index}%22`;
      return (await proxy.get(`${signed('r1/v720-a1/3.m4s', { session: `s-${index % 9}` })}?${argument}`)).text();
    }),
  );
  expect(new Set(bodies)).toEqual(new Set(['third']));
  expect(origin.requests).toEqual([`GET - /media/videos/${videoUlid}/r1/v720-a1/3.m4s`]);
});

test('immutable files are cached indefinitely by players, replaceable ones for a minute', async () => {
  const caching = async (file: string) => (await proxy.get(signed(file))).headers.get('cache-control');
  expect(await caching(segment)).toBe('public, max-age=31536000, immutable');
  expect(await caching('x/master.m3u8')).toBe('public, max-age=60');
});

test('a CDN revalidates each file within 20 s and keeps none beyond the expiry of its URL', async () => {
  const shared = async (file: string, seconds: number) => {
    const answer = await cdn.get(signed(file, { expiresSeconds: Date.now() / 1000 + seconds }));
    return Number(/s-maxage=(\d+)/.exec(answer.headers.get('cache-control')!)![1]);
  };
  expect(await shared(segment, 500)).toBe(20);
  expect(await shared('x/master.m3u8', 500)).toBe(20);
  expect(await shared(segment, 10)).toBeLessThanOrEqual(10);
});

describe('a growing playlist', () => {
  const file = 'growing/v360.m3u8';
  const write = (Body: string) =>
    origin.store.send(
      new PutObjectCommand({
        Bucket: origin.bucket,
        Key: `videos/${videoUlid}/${file}`,
        Body,
        CacheControl: growingCacheControl,
      }),
    );

  test('is delivered as it was a second ago, and players are told to ask again after a second', async () => {
    await write('#EXTM3U one');
    const answer = await proxy.get(signed(file));
    expect([answer.headers.get('cache-control'), await answer.text()]).toEqual(['public, max-age=1', '#EXTM3U one']);
    await write('#EXTM3U two');
    // The first request after a second may still get the old one, while nginx asks the store.
    await vi.waitFor(async () => expect(await (await proxy.get(signed(file))).text()).toBe('#EXTM3U two'), 5000);
  });

  test('is kept by a CDN for a second', async () => {
    await write('#EXTM3U one');
    expect((await cdn.get(signed(file))).headers.get('cache-control')).toBe('public, max-age=1, s-maxage=1');
  });
});

test('behind a CDN every request goes to the store with its original range', async () => {
  await bodyOf(await cdn.get(signed('x/film.mp4'), range('bytes=-100')));
  await bodyOf(await cdn.get(signed('x/film.mp4'), range('bytes=-100')));
  expect(origin.requests).toEqual(Array(2).fill(expect.stringMatching(/^GET bytes=-100 /)));
});

test('cached files of a deleted video, and of one that is not public any more, are delivered for 20 s at most', async () => {
  const deleted = ['deleted/master.m3u8', 'deleted/1.m4s', 'deleted/video.mp4'];
  const objects = [
    ...deleted.map((file) => ({ Bucket: origin.bucket, Key: `videos/${videoUlid}/${file}` })),
    { Bucket: origin.bucket, Key: `videos/${formerUlid}/public` },
  ];
  const formerPublic = publicPath('r1/1.m4s', formerUlid);
  for (const object of objects) await origin.store.send(new PutObjectCommand({ ...object, Body: 'x' }));
  const paths = [...deleted.map((file) => signed(file)), formerPublic];
  await origin.store.send(
    new PutObjectCommand({ Bucket: origin.bucket, Key: formerPublic.replace('/p/', 'videos/'), Body: 'x' }),
  );
  const statuses = () => Promise.all(paths.map(async (path) => (await proxy.get(path)).status));
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  for (const object of objects) await origin.store.send(new DeleteObjectCommand(object));
  const deletedMs = Date.now();
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  let lastDeliveredMs = deletedMs;
  const seen = async () => {
    const askedMs = Date.now();
    const now = await statuses();
    if (now.includes(200)) lastDeliveredMs = askedMs;
    return now;
  };
  await expect.poll(seen, { interval: 500 }).toEqual([404, 404, 404, 404]);
  // Measured from the start of a request, because its duration does not matter. nginx counts whole seconds.
  expect(lastDeliveredMs - deletedMs).toBeLessThan(21_000);
});

test('while the store is unavailable, cached files are delivered and others answer 502', async () => {
  await bodyOf(await proxy.get(signed('x/film.mp4')));
  await origin.stop();
  try {
    const kept = await proxy.get(signed('x/film.mp4'));
    expect([kept.status, (await bodyOf(kept)).equals(film)]).toEqual([200, true]);
    const [unseen, uncached] = await Promise.all([proxy.get(signed('r1/unseen.m4s')), cdn.get(signed('x/film.mp4'))]);
    expect([unseen.status, await unseen.json()]).toEqual([502, { message: 'The store does not respond.' }]);
    expect(uncached.status).toBe(502);
  } finally {
    await origin.start();
  }
});
