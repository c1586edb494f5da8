import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createEdgeCache } from '../../../src/cloudfront/cache/edge-cache.ts';
import type { OriginRange } from '../../../src/cloudfront/origins/origin.ts';
import { runDistribution } from '../../../src/testing/running-distribution.ts';
import { bytes } from '../../s3/running.ts';

const mebibyte = 2 ** 20;
const film = bytes(9 * mebibyte);
let edge: Awaited<ReturnType<typeof runDistribution>>;

beforeAll(async () => {
  edge = await runDistribution();
  await edge.put('videos/1/film.mp4', film);
});
afterAll(() => edge.close());
beforeEach(() => {
  edge.reads.length = 0;
});

const text = async (path: string, init?: RequestInit) => (await edge.get(path, init)).text();

test('concurrent viewers of one segment cause one read of the bucket', async () => {
  await edge.put('videos/1/segment.m4s', bytes(100_000));
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, viewer) => {
      const answer = await edge.get(`/s/token/videos/1/segment.m4s?viewer=${viewer}`);
      return (await answer.arrayBuffer()).byteLength;
    }),
  );
  expect(new Set(answers)).toEqual(new Set([100_000]));
  expect(edge.reads).toEqual(['bytes=0-4194303 videos/1/segment.m4s']);
});

test('1,000 requests for one segment cause one read, whenever they come', async () => {
  const cache = createEdgeCache();
  const body = bytes(100_000);
  let reads = 0;
  const source = {
    hasRanges: true,
    freshSeconds: () => 60,
    fetch: async () => {
      reads += 1;
      await setTimeout(5);
      return {
        status: 206,
        headers: {},
        chunks: [body],
        sizeBytes: body.length,
        range: { start: 0, end: body.length },
      };
    },
  };
  const view = async () => {
    const { entry } = await cache.find('segment', source);
    let received = 0;
    for await (const chunk of cache.read('segment', entry!, source, { start: 0, end: body.length }))
      received += chunk.length;
    return received;
  };
  const early = Array.from({ length: 500 }, view);
  await setTimeout(2);
  const received = await Promise.all([...early, ...Array.from({ length: 500 }, view)]);
  expect(received.every((count) => count === body.length)).toBe(true);
  expect(reads).toBe(1);
  cache.close();
});

test('viewers of ranges of a large file cause one read of each slice that they need', async () => {
  const ranges = ['bytes=5000000-5000009', 'bytes=5100000-5100009', 'bytes=8000000-8000009'];
  const found = await Promise.all(
    [...ranges, ...ranges].map(async (range) => {
      const answer = await edge.get('/s/token/videos/1/film.mp4', { headers: { range } });
      return Buffer.from(await answer.arrayBuffer());
    }),
  );
  expect(found[0]!.equals(film.subarray(5_000_000, 5_000_010))).toBe(true);
  expect(edge.reads).toEqual(['bytes=4194304-8388607 videos/1/film.mp4']);
  await edge.get('/s/token/videos/1/film.mp4', { headers: { range: 'bytes=0-9' } });
  expect(edge.reads.slice(1)).toEqual(['bytes=0-4194303 videos/1/film.mp4']);
});

test('Cache-Control of the object decides when it is asked for again, with If-None-Match', async () => {
  await edge.put('videos/1/a.m3u8', 'one', { CacheControl: 'max-age=5' });
  const ask = async () => {
    const answer = await edge.get('/s/token/videos/1/a.m3u8');
    return `${answer.headers.get('x-cache')?.split(' ')[0]} ${await answer.text()}`;
  };
  expect([await ask(), await ask()]).toEqual(['Miss one', 'Hit one']);
  edge.clock.nowMs += 5000;
  expect([await ask(), await ask()]).toEqual(['RefreshHit one', 'Hit one']);
  await edge.put('videos/1/a.m3u8', 'two', { CacheControl: 'max-age=5' });
  expect(await ask()).toBe('Hit one');
  edge.clock.nowMs += 5000;
  expect(await ask()).toBe('Miss two');
  expect(edge.reads).toEqual([
    'bytes=0-4194303 videos/1/a.m3u8',
    'HEAD videos/1/a.m3u8 if changed',
    'HEAD videos/1/a.m3u8 if changed',
    'bytes=0-4194303 videos/1/a.m3u8',
  ]);
});

test('a missing file is asked for again after ten seconds', async () => {
  expect(await text('/s/token/videos/1/late.m4s')).toContain('NoSuchKey');
  await edge.put('videos/1/late.m4s', 'late');
  expect(await text('/s/token/videos/1/late.m4s')).toContain('NoSuchKey');
  edge.clock.nowMs += 10_000;
  expect(await text('/s/token/videos/1/late.m4s')).toBe('late');
});

test('a replaced file is never mixed with the one before', async () => {
  await edge.put('videos/1/new.mp4', bytes(5 * mebibyte, 1));
  const range = (value: string) => ({ headers: { range: value } });
  await text('/s/token/videos/1/new.mp4', range('bytes=0-9'));
  const replacement = bytes(5 * mebibyte, 2);
  await edge.put('videos/1/new.mp4', replacement);
  const answer = await edge.get('/s/token/videos/1/new.mp4', range('bytes=4194304-4194313'));
  expect(Buffer.from(await answer.arrayBuffer()).equals(replacement.subarray(4_194_304, 4_194_314))).toBe(true);
});

test('the cache has a limit in bytes, and what nobody uses for a minute is dropped', async () => {
  let nowMs = 0;
  const cache = createEdgeCache({ maxBytes: 10 * mebibyte, now: () => nowMs });
  const read: number[] = [];
  const source = (object: number) => ({
    hasRanges: true,
    freshSeconds: () => 60,
    fetch: async ({ range }: { range?: OriginRange }) => {
      read.push(object);
      const { start, end } = range!;
      const sizeBytes = 4 * mebibyte;
      const [chunk] = [Buffer.alloc(Math.min(end, sizeBytes) - start)];
      return {
        status: 206,
        headers: { etag: `"${object}"` },
        chunks: [chunk!],
        sizeBytes,
        range: { start, end: sizeBytes },
      };
    },
  });
  for (let object = 0; object < 10; object++) await cache.find(String(object), source(object));
  expect(cache.bytes).toBe(8 * mebibyte);
  nowMs = 60_001;
  cache.dropIdle();
  expect(cache.bytes).toBe(0);
  cache.close();
});
