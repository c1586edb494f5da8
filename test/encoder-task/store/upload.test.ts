import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobContext } from '../../../encoder-task/job-context.ts';
import { uploadFile } from '../../../encoder-task/store/upload.ts';
import { createUploadQueue } from '../../../encoder-task/store/upload-queue.ts';
import { uploadWhileWritten } from '../../../encoder-task/store/upload-while-written.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';

const files = useStoreAndFolder();
let context: JobContext;
beforeEach(async () => {
  const outputs = ['a.m4s', 'v0/00000.m4s', 'v0/00001.m4s'];
  context = await contextFor(files.store, { kind: 'probe', sizeBytes: 1 }, { outputs });
});
afterEach(() => rm(context.folder, { recursive: true }));

test('a file goes to the place the lease has for it', async () => {
  await writeFile(join(context.folder, 'a.m4s'), 'media');
  expect(await uploadFile(context, 'a.m4s')).toEqual({ file: 'a.m4s', bytes: 5 });
  expect(files.store.objects.get('a.m4s')?.toString()).toBe('media');
  expect(files.store.requests).toMatchObject([{ method: 'PUT', key: 'a.m4s', contentType: 'video/mp4' }]);
});

test('a busy store is asked again, a refusal is not', async () => {
  await writeFile(join(context.folder, 'a.m4s'), 'media');
  files.store.failNext(503);
  await uploadFile(context, 'a.m4s');
  expect(files.store.requests).toHaveLength(2);
  files.store.failNext(403);
  await expect(uploadFile(context, 'a.m4s')).rejects.toMatchObject({ code: 'STORE_FAILED', fatal: false });
  expect(files.store.requests).toHaveLength(3);
});

test('a file without a place in the lease is an error', async () => {
  await writeFile(join(context.folder, 'b.m4s'), 'media');
  await expect(uploadFile(context, 'b.m4s')).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
});

test('a few uploads run at once, and the first failure is the queue failure', async () => {
  let running = 0;
  let most = 0;
  const queue = createUploadQueue(async (file) => {
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    if (file === 'bad') throw new Error('refused');
  }, 2);
  for (const file of ['1', '2', '3', '4', '5']) queue.push(file);
  await queue.drain();
  expect(most).toBe(2);
  queue.push('bad');
  await expect(queue.drain()).rejects.toThrow('refused');
});

test('segments go up while the next ones are written, never one that is half there', async () => {
  await mkdir(join(context.folder, 'v0'));
  const path = (name: string): string => join(context.folder, 'v0', name);
  const written = await uploadWhileWritten(context, ['v0'], async () => {
    await writeFile(path('00000.m4s'), 'first');
    await writeFile(path('00001.m4s.tmp'), 'sec');
    while (!files.store.objects.has('v0/00000.m4s')) await sleep(10);
    expect([...files.store.objects.keys()]).toEqual(['v0/00000.m4s']);
    await writeFile(path('00001.m4s.tmp'), 'second');
    await rename(path('00001.m4s.tmp'), path('00001.m4s'));
  });
  expect(written).toEqual(['v0/00000.m4s', 'v0/00001.m4s']);
  expect(files.store.objects.get('v0/00001.m4s')?.toString()).toBe('second');
});
