import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type SourceServer, serveSource } from '../../../encoder-task/store/source-server.ts';
import type { SourceView } from '../../../encoder-task/store/source-view.ts';
import { useStoreAndFolder } from '../support/clips.ts';

const files = useStoreAndFolder();
let server: SourceServer | undefined;
afterEach(() => server?.close());

const content = randomBytes(3_000_000);

async function serve(view: Partial<SourceView> = {}): Promise<SourceServer> {
  files.store.objects.set('source', content);
  const whole = { totalBytes: content.length, known: [], unseen: [], untilByte: null };
  server = await serveSource(files.store.url('source'), { ...whole, ...view }, new AbortController().signal);
  return server;
}

const read = async (url: string, range?: string) => {
  const response = await fetch(url, { headers: range ? { range } : {} });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('serves the whole and any part, byte for byte', async () => {
  const { url } = await serve();
  const whole = await read(url);
  expect(whole.response.status).toBe(200);
  expect(whole.bytes.equals(content)).toBe(true);
  const tail = await read(url, 'bytes=1000000-');
  expect(tail.response.status).toBe(206);
  expect(tail.response.headers.get('content-range')).toBe('bytes 1000000-2999999/3000000');
  expect(tail.bytes.equals(content.subarray(1_000_000))).toBe(true);
  expect((await read(url, 'bytes=10-19')).bytes.equals(content.subarray(10, 20))).toBe(true);
});

test('asks the store for windows, not for all up to the end', async () => {
  const { url } = await serve();
  await read(url, 'bytes=0-');
  expect(files.store.requests.map(({ range }) => range)).toEqual([
    'bytes=0-262143',
    'bytes=262144-786431',
    'bytes=786432-1835007',
    'bytes=1835008-2999999',
  ]);
});

test('takes up a read again where a busy store broke it off', async () => {
  const { url } = await serve();
  files.store.failNext(503, 500);
  expect((await read(url)).bytes.equals(content)).toBe(true);
  expect(server?.failure()).toBeUndefined();
});

test('past the end there is nothing', async () => {
  const { url } = await serve();
  expect((await read(url, 'bytes=3000000-')).response.status).toBe(416);
});

test('remembers why the store gave nothing', async () => {
  const { url } = await serve();
  files.store.failNext(403);
  await expect(read(url)).rejects.toThrow();
  expect(server?.failure()).toMatchObject({ code: 'STORE_FAILED', fatal: false });
});

test('answers to its own secret path only, and shows nothing of the signature', async () => {
  const { url } = await serve();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
  expect((await read(new URL('/', url).href)).response.status).toBe(404);
  expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(404);
  expect(files.store.requests).toEqual([]);
});

const fetchedBytes = (): number =>
  files.store.requests.reduce((sum, { range }) => {
    const [, from, to] = /(\d+)-(\d+)/.exec(range!)!;
    return sum + Number(to) + 1 - Number(from);
  }, 0);

test('what is here already is not fetched again', async () => {
  const { url } = await serve({ known: [{ start: 1_000_000, bytes: content.subarray(1_000_000, 2_000_000) }] });
  expect((await read(url)).bytes.equals(content)).toBe(true);
  expect(fetchedBytes()).toBe(2_000_000);
});

test('what is dropped unread is sent as zeros and not fetched, whichever connection asks', async () => {
  const unseen = [
    { start: 200_000, end: 1_400_000 },
    { start: 1_500_000, end: 2_990_000 },
  ];
  const { url } = await serve({ unseen });
  const expected = Buffer.from(content);
  for (const { start, end } of unseen) expected.fill(0, start, end);
  expect((await read(url)).bytes.equals(expected)).toBe(true);
  expect((await read(url, 'bytes=1450000-')).bytes.equals(expected.subarray(1_450_000))).toBe(true);
  expect(fetchedBytes()).toBe(310_000);
});

test('past what a job needs the store is asked for little at a time, and never across that line', async () => {
  const { url } = await serve({ untilByte: 1_000_000 });
  expect((await read(url)).bytes.equals(content)).toBe(true);
  const starts = files.store.requests.map(({ range }) => Number(/\d+/.exec(range!)?.[0]));
  expect(starts).toContain(1_000_000);
  expect(starts.filter((start) => start >= 1_000_000)).toHaveLength(Math.ceil(2_000_000 / (256 * 1024)));
});
