import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

let storeAnswers: boolean;
let storedParts: { PartNumber: number; Size: number; ETag: string }[];

/** Has one upload, with parts of four bytes. */
async function service({ url, method }: Request): Promise<Response> {
  const { pathname } = new URL(url);
  const lastName = pathname.split('/').at(-1)!;
  if (/^\d+$/.test(lastName)) return Response.json({ url: `https://store.example/${lastName}` });
  if (lastName === 'complete') return Response.json({});
  if (method === 'GET') return Response.json(storedParts);
  return Response.json({ ulid: 'U', uploadId: 'I', suggestedPartSize: 4 });
}

/** As in browsers, an unreadable file looks like a store that does not answer. */
class StoreRequest {
  status = 200;
  upload = { onprogress: null };
  onload = (): void => undefined;
  onerror = (): void => undefined;
  #url = '';
  open(_method: string, url: string): void {
    this.#url = url;
  }
  abort(): void {}
  getResponseHeader = (): string => '"etag"';
  async send(body: Blob): Promise<void> {
    const isSent = await body.arrayBuffer().then(
      () => storeAnswers,
      () => false,
    );
    if (!isSent) return this.onerror();
    storedParts.push({ PartNumber: Number(this.#url.split('/').at(-1)), Size: body.size, ETag: '"etag"' });
    this.onload();
  }
}

vi.stubGlobal('location', { origin: 'http://127.0.0.1:3000' });
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
vi.stubGlobal('addEventListener', () => undefined);
vi.stubGlobal('removeEventListener', () => undefined);
vi.stubGlobal('fetch', service);
vi.stubGlobal('XMLHttpRequest', StoreRequest);
const { addFiles, resume, uploads } = await import('../../../dashboard/upload/queue.ts');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  storeAnswers = true;
  storedParts = [];
  uploads.value = [];
});
afterEach(() => vi.useRealTimers());

/** Lets time pass until the upload is in the state. */
const reaches = (state: string) =>
  expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return uploads.value[0]?.state;
    })
    .toBe(state);

test('a file that was changed while it was sent fails with a message of its own', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.mp4');
  await writeFile(path, 'before');
  const file = new File([await openAsBlob(path)], 'a.mp4');
  await writeFile(path, 'another length');
  addFiles([file], 'T');
  await reaches('failed');
  expect(uploads.value).toMatchObject([{ fault: 'unreadable', state: 'failed' }]);
});

test('a store that takes no parts, although the service answers, ends the upload after some attempts', async () => {
  storeAnswers = false;
  addFiles([new File(['12345678'], 'a.mp4')], 'T');
  await reaches('failed');
  expect(uploads.value).toMatchObject([{ fault: 'unreachable' }]);

  storeAnswers = true;
  resume(uploads.value[0]!.id);
  await reaches('stored');
  expect(uploads.value[0]).not.toHaveProperty('fault');
});

test('a store that answers again receives the rest by itself', async () => {
  storeAnswers = false;
  addFiles([new File(['12345678'], 'a.mp4')], 'T');
  await reaches('interrupted');
  storeAnswers = true;
  await reaches('stored');
  expect(storedParts.map(({ PartNumber }) => PartNumber).toSorted()).toEqual([1, 2]);
});
