import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

let storeAnswers: boolean;
/** The parts that the store has, by upload. */
let storedParts: Map<string, { PartNumber: number; Size: number; ETag: string }[]>;

/** Its uploads are I1, I2 and so on, with parts of four bytes. */
async function service({ url, method }: Request): Promise<Response> {
  const [uploadId = '', ...rest] = new URL(url).pathname.split('/').slice(4);
  if (rest[0] === 'complete') return Response.json({});
  if (rest[0] !== undefined) return Response.json({ url: `https://store.example/${uploadId}/${rest[0]}` });
  if (method === 'GET') return Response.json(storedParts.get(uploadId));
  const created = `I${storedParts.size + 1}`;
  storedParts.set(created, []);
  return Response.json({ ulid: 'U', uploadId: created, suggestedPartSize: 4 });
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
    const [uploadId = '', number] = new URL(this.#url).pathname.slice(1).split('/');
    storedParts.get(uploadId)!.push({ PartNumber: Number(number), Size: body.size, ETag: '"etag"' });
    this.onload();
  }
}

vi.stubGlobal('location', { origin: 'http://127.0.0.1:3000' });
const storage = new Map<string, string>();
vi.stubGlobal('localStorage', {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, value: string) => storage.set(key, value),
});
vi.stubGlobal('addEventListener', () => undefined);
vi.stubGlobal('removeEventListener', () => undefined);
vi.stubGlobal('fetch', service);
vi.stubGlobal('XMLHttpRequest', StoreRequest);
const { addFiles, pause, resume, uploads } = await import('../../../dashboard/upload/queue.ts');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  storeAnswers = true;
  storedParts = new Map();
  storage.clear();
  uploads.value = [];
});
afterEach(() => vi.useRealTimers());

/** Lets time pass until the upload, by default the first one, is in the state. */
const reaches = (state: string, index = 0) =>
  expect
    .poll(async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return uploads.value[index]?.state;
    })
    .toBe(state);

test('a file that was changed while it was sent fails with its message', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'queue-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.mp4');
  await writeFile(path, 'before');
  const file = new File([await openAsBlob(path)], 'a.mp4');
  await writeFile(path, 'another length');
  addFiles([file], { template: 'T' });
  await reaches('failed');
  expect(uploads.value).toMatchObject([{ fault: 'unreadable', state: 'failed' }]);
});

test('a store that takes no parts, although the service answers, ends the upload after some attempts', async () => {
  storeAnswers = false;
  addFiles([new File(['12345678'], 'a.mp4')], { template: 'T' });
  await reaches('failed');
  expect(uploads.value).toMatchObject([{ fault: 'unreachable' }]);

  storeAnswers = true;
  resume(uploads.value[0]!.id);
  await reaches('stored');
  expect(uploads.value[0]).not.toHaveProperty('fault');
});

test('a store that answers again receives the rest by itself', async () => {
  storeAnswers = false;
  addFiles([new File(['12345678'], 'a.mp4')], { template: 'T' });
  await reaches('interrupted');
  storeAnswers = true;
  await reaches('stored');
  expect(
    storedParts
      .get('I1')!
      .map(({ PartNumber }) => PartNumber)
      .toSorted(),
  ).toEqual([1, 2]);
});

test('a file that is added again while its upload is open has another upload', async () => {
  storeAnswers = false;
  const file = new File(['12345678'], 'a.mp4');
  addFiles([file], { template: 'T' });
  await reaches('interrupted');
  pause(uploads.value[0]!.id);
  storeAnswers = true;
  addFiles([file], { template: 'T' });
  await reaches('stored', 1);
  resume(uploads.value[0]!.id);
  await reaches('stored');
  expect(uploads.value.map(({ started }) => started?.uploadId)).toEqual(['I1', 'I2']);
});

test('after a reload a file continues its upload, and a copy of it has another one', async () => {
  storeAnswers = false;
  const file = new File(['12345678'], 'a.mp4');
  addFiles([file], { template: 'T' });
  await reaches('interrupted');
  uploads.value = [];
  storeAnswers = true;
  addFiles([file, file], { template: 'T' });
  await reaches('stored');
  await reaches('stored', 1);
  expect(uploads.value.map(({ started }) => started?.uploadId)).toEqual(['I1', 'I2']);
});
