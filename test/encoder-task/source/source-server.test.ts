import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type SourceServer, serveSource } from '../../../encoder-task/source/source-server.ts';
import type { SourceView } from '../../../encoder-task/source/source-view.ts';
import { useStoreAndFolder } from '../support/clips.ts';

const files = useStoreAndFolder();
let server: SourceServer | undefined;
afterEach(() => server?.close());

const content = randomBytes(3_000_000);

async function serve(view: Partial<SourceView> = {}): Promise<SourceServer> {
  files.store.objects.set('source', content);
  const whole = { totalBytes: content.length, known: [], unneeded: [], untilByte: null };
  const store = { urlOf: async () => files.store.url('source'), signal: new AbortController().signal };
  server = await serveSource(store, { ...whole, ...view });
  return server;
}

const ask = async (url: string, range?: string) => {
  const response = await fetch(url, { headers: range ? { range } : {} });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

/** Continues after the end of a response, as ffmpeg does. */
async function readFrom(url: string, start = 0): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let position = start; position < content.length; ) {
    const { bytes } = await ask(url, `bytes=${position}-`);
    parts.push(bytes);
    position += bytes.length;
  }
  return Buffer.concat(parts);
}

test('serves the whole file and any range', async () => {
  const { url } = await serve();
  expect((await readFrom(url)).equals(content)).toBe(true);
  expect((await readFrom(url, 1_000_000)).equals(content.subarray(1_000_000))).toBe(true);
  const { response, bytes } = await ask(url, 'bytes=10-19');
  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe('bytes 10-19/3000000');
  expect(bytes.equals(content.subarray(10, 20))).toBe(true);
});

test('fetches little for a first read, and more each time a reader continues', async () => {
  const { url } = await serve();
  await ask(url, 'bytes=0-');
  expect(files.store.requests.map(({ range }) => range)).toEqual(['bytes=0-262143']);
  await readFrom(url, 262_144);
  expect(files.store.requests.slice(1).map(({ range }) => range)).toEqual([
    'bytes=262144-786431',
    'bytes=786432-1835007',
    'bytes=1835008-2999999',
  ]);
});

test('resumes a read that a busy store interrupted', async () => {
  const { url } = await serve();
  files.store.failNext(503, 500);
  expect((await readFrom(url)).equals(content)).toBe(true);
  expect(server?.failure()).toBeUndefined();
});

test('answers 416 after the end', async () => {
  const { url } = await serve();
  expect((await ask(url, 'bytes=3000000-')).response.status).toBe(416);
});

test('keeps the error of the store', async () => {
  const { url } = await serve();
  files.store.failNext(405);
  await expect(ask(url, 'bytes=0-')).rejects.toThrow();
  expect(server?.failure()).toMatchObject({ code: 'STORE_FAILED', fatal: false });
});

test('serves its secret path only, and never shows the signature', async () => {
  const { url } = await serve();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
  expect((await ask(new URL('/', url).href, 'bytes=0-')).response.status).toBe(404);
  expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(404);
  expect(files.store.requests).toEqual([]);
});

const fetchedBytes = (): number =>
  files.store.requests.reduce((sum, { range }) => {
    const [, from, to] = /(\d+)-(\d+)/.exec(range!)!;
    return sum + Number(to) + 1 - Number(from);
  }, 0);

test('does not fetch known bytes again', async () => {
  const { url } = await serve({ known: [{ start: 1_000_000, bytes: content.subarray(1_000_000, 2_000_000) }] });
  expect((await readFrom(url)).equals(content)).toBe(true);
  expect(fetchedBytes()).toBe(2_000_000);
});

test('sends unneeded bytes as zeros without fetching them, on every connection', async () => {
  const unneeded = [
    { start: 200_000, end: 1_400_000 },
    { start: 1_500_000, end: 2_990_000 },
  ];
  const { url } = await serve({ unneeded });
  const expected = Buffer.from(content);
  for (const { start, end } of unneeded) expected.fill(0, start, end);
  expect((await readFrom(url)).equals(expected)).toBe(true);
  expect((await readFrom(url, 1_450_000)).equals(expected.subarray(1_450_000))).toBe(true);
  expect(fetchedBytes()).toBe(310_000);
});

test('reads across short gaps on one connection, up to the next long gap', async () => {
  const unneeded = Array.from({ length: 20 }, (_, n) => ({ start: 50_000 * n + 1_000, end: 50_000 * (n + 1) }));
  const { url } = await serve({ unneeded: [...unneeded, { start: 1_200_000, end: 2_000_000 }] });
  const { response, bytes } = await ask(url, 'bytes=0-');
  expect(response.headers.get('content-range')).toBe('bytes 0-1199999/3000000');
  const expected = Buffer.from(content.subarray(0, 1_200_000));
  for (const { start, end } of unneeded) expected.fill(0, start, end);
  expect(bytes.equals(expected)).toBe(true);
  expect(fetchedBytes()).toBe(20 * 1_000 + 200_000 + 1_000_000);
});

test('fetches small ranges after the part that a job needs, and none across its end', async () => {
  const { url } = await serve({ untilByte: 1_000_000 });
  expect((await readFrom(url)).equals(content)).toBe(true);
  const starts = files.store.requests.map(({ range }) => Number(/\d+/.exec(range!)?.[0]));
  expect(starts).toContain(1_000_000);
  expect(starts.filter((start) => start >= 1_000_000)).toHaveLength(Math.ceil(2_000_000 / (256 * 1024)));
});
