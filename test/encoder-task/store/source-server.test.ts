import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { type SourceServer, serveSource } from '../../../encoder-task/store/source-server.ts';
import { useStoreAndFolder } from '../support/clips.ts';

const files = useStoreAndFolder();
let server: SourceServer | undefined;
afterEach(() => server?.close());

const content = randomBytes(3_000_000);

async function serve(): Promise<SourceServer> {
  files.store.objects.set('source', content);
  server = await serveSource(files.store.url('source'), new AbortController().signal);
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
    'bytes=0-524287',
    'bytes=524288-1572863',
    'bytes=1572864-2999999',
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
