import { once } from 'node:events';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JobContext } from '../../../encoder-task/jobs/job-context.ts';
import type { PartRequest } from '../../../encoder-task/transfer/job-files.ts';
import { localFileError } from '../../../encoder-task/transfer/local-file.ts';
import { createStoredCount, type TrackPart } from '../../../encoder-task/transfer/stored-count.ts';
import { uploadBytes, uploadFile } from '../../../encoder-task/transfer/upload.ts';
import { uploadInParts } from '../../../encoder-task/transfer/upload-in-parts.ts';
import { createUploadQueue } from '../../../encoder-task/transfer/upload-queue.ts';
import { type Upload, uploadWhileWritten } from '../../../encoder-task/transfer/upload-while-written.ts';
import { watchFolders } from '../../../encoder-task/transfer/watch-folders.ts';
import type { FileRequest, FileResponse } from '../../../shared/protocol/jobs.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { writeWholeFile } from '../support/write-whole-file.ts';

const files = useStoreAndFolder();
let context: JobContext;
beforeEach(async () => {
  const outputs = ['a.m4s', 'v0/init.mp4', 'v0/00000.m4s', 'v0/00001.m4s'];
  context = await contextFor(files.store, { kind: 'probe', sizeBytes: 1 }, { outputs });
});
afterEach(() => rm(context.folder, { recursive: true }));

test('a file is uploaded to the URL of its lease', async () => {
  await writeFile(join(context.folder, 'a.m4s'), 'media');
  expect(await uploadFile(context, 'a.m4s')).toEqual({ file: 'a.m4s', bytes: 5 });
  expect(files.store.objects.get('a.m4s')?.toString()).toBe('media');
  expect(files.store.requests).toMatchObject([{ method: 'PUT', key: 'a.m4s', contentType: 'video/mp4' }]);
});

test('an object of a plan may be cached forever, and one that is replaced for a minute', async () => {
  const outputs = ['videos/x/r1/v0/0.m4s', 'videos/x/o/1/master.m3u8'];
  const uploading = await contextFor(files.store, context.spec, { outputs });
  for (const file of outputs) await uploadBytes(uploading, file, new Uint8Array(1));
  expect(files.store.requests.map(({ cacheControl }) => cacheControl)).toEqual([
    'public, max-age=31536000, immutable',
    'public, max-age=60',
  ]);
  await rm(uploading.folder, { recursive: true });
});

test('a request to a busy store is retried, and with a new URL when the store rejects one', async () => {
  await writeFile(join(context.folder, 'a.m4s'), 'media');
  files.store.failNext(503);
  await uploadFile(context, 'a.m4s');
  expect(files.store.requests).toHaveLength(2);
  const asked: FileRequest[] = [];
  const renewing = await contextFor(files.store, context.spec, {
    outputs: ['a.m4s', 'v0/00000.m4s'],
    answerFiles: async (request) => {
      asked.push(request);
      return { urls: { 'a.m4s': files.store.url('renewed'), 'v0/00000.m4s': files.store.url('renewed-too') } };
    },
  });
  await writeFile(join(renewing.folder, 'a.m4s'), 'media');
  files.store.failNext(403);
  await uploadFile(renewing, 'a.m4s');
  expect(asked).toEqual([{ ask: 'outputs', lease: 'L1', from: 'a.m4s' }]);
  expect(files.store.requests.map(({ key }) => key)).toEqual(['a.m4s', 'a.m4s', 'a.m4s', 'renewed']);
  // URLs that were signed at the same time have expired too
  expect(await renewing.outputUrl('v0/00000.m4s')).toBe(files.store.url('renewed-too'));
  await rm(renewing.folder, { recursive: true });
});

test('a file without a URL in the lease is an error', async () => {
  await writeFile(join(context.folder, 'b.m4s'), 'media');
  await expect(uploadFile(context, 'b.m4s')).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
});

describe('a local file', () => {
  test('that is missing causes an error without a request', async () => {
    await expect(uploadFile(context, 'a.m4s')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(files.store.requests).toEqual([]);
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['removed', (path) => rm(path)],
    ['cut off', (path) => truncate(path, 3)],
  ])('that is %s before it is sent is not reported as a failure of the store', async (_, spoil) => {
    const path = join(context.folder, 'a.m4s');
    await writeFile(path, 'media');
    const outputUrl = async (file: string): Promise<string> => {
      await spoil(path);
      return context.outputUrl(file);
    };
    await expect(uploadFile({ ...context, outputUrl }, 'a.m4s')).rejects.toMatchObject({
      code: 'OUTPUT_MISMATCH',
      fatal: false,
      message: expect.stringContaining('the local file a.m4s was removed, changed or unreadable'),
    });
    expect(files.store.objects.size).toBe(0);
  });

  test('is named in the error of the job', () => {
    const about = (code: string, path: string) => Object.assign(new Error(code), { code, path });
    expect(localFileError(about('ENOENT', '/jobs/1/v0/init.mp4'), '/jobs/1')).toMatchObject({
      code: 'OUTPUT_MISMATCH',
      message: 'the local file v0/init.mp4 is missing',
    });
    expect(localFileError(about('EIO', '/jobs/1/v0/init.mp4'), '/jobs/1')).toMatchObject({
      code: 'INTERNAL',
      message: 'the local file v0/init.mp4 cannot be used: EIO',
    });
    expect(localFileError(about('ENOENT', '/etc/hosts'), '/jobs/1')).toBeUndefined();
    expect(localFileError(new Error('no file'), '/jobs/1')).toBeUndefined();
  });
});

test('some uploads run in parallel, and the queue throws the first error', async () => {
  let running = 0;
  let most = 0;
  const queue = createUploadQueue(async (file) => {
    most = Math.max(most, ++running);
    await sleep(5);
    running--;
    if (file === 'bad') throw new Error('rejected');
  }, 2);
  for (const file of ['1', '2', '3', '4', '5']) queue.push(file);
  await queue.drain();
  expect(most).toBe(2);
  queue.push('bad');
  await expect(queue.drain()).rejects.toThrow('rejected');
});

describe('segments that are being written', () => {
  const stored: [string, TrackPart][] = [];
  const tracks = {
    names: ['v0'],
    run: 1 as const,
    isPlanned: (segment: number) => segment < 2,
    finish: async ({ part, file }: Upload) => {
      if (part === 'init') await writeFile(join(context.folder, file), 'final init');
    },
    onStored: (track: string, part: TrackPart) => {
      expect(files.store.objects.has(`${track}/${part === 'init' ? 'init.mp4' : `0000${part}.m4s`}`)).toBe(true);
      stored.push([track, part]);
    },
  };
  const path = (name: string): string => join(context.folder, 'v0', name);
  beforeEach(async () => {
    stored.length = 0;
    await mkdir(join(context.folder, 'v0'));
    await writeFile(path('init.mp4'), 'init');
  });

  test('are uploaded with the final init segment as soon as they are complete, and not before', async () => {
    // without polls, only the change of the folder starts the upload
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const written = await uploadWhileWritten(context, tracks, async () => {
      await writeFile(path('00001.m4s.tmp'), 'sec');
      await writeWholeFile(path('00000.m4s'), 'first');
      while (stored.length < 2) await sleep(2);
      expect([...files.store.objects.keys()].sort()).toEqual(['v0/00000.m4s', 'v0/init.mp4']);
      await writeWholeFile(path('00001.m4s'), 'second');
    });
    vi.useRealTimers();
    expect(written).toEqual(['v0/00000.m4s', 'v0/00001.m4s']);
    expect(files.store.objects.get('v0/init.mp4')?.toString()).toBe('final init');
    expect(files.store.objects.get('v0/00001.m4s')?.toString()).toBe('second');
    expect(stored.toSorted()).toEqual([0, 1, 'init'].map((part) => ['v0', part]));
  });

  test('are not uploaded when the job does not make them, and those of another run are not seen', async () => {
    const written = await uploadWhileWritten(context, tracks, async () => {
      for (const name of ['00000.m4s', '00002.m4s', 'r2-00001.m4s']) await writeWholeFile(path(name), name);
    });
    expect(written).toEqual(['v0/00000.m4s', 'v0/00002.m4s']);
    expect(stored.toSorted()).toEqual([0, 'init'].map((part) => ['v0', part]));
  });

  test('end the run that writes them with the error of a failed upload', async () => {
    files.store.failNext(405);
    const reasons: unknown[] = [];
    const run = uploadWhileWritten(context, tracks, async (signal) => {
      await writeWholeFile(path('00000.m4s'), 'first');
      await once(signal, 'abort');
      reasons.push(signal.reason);
      throw signal.reason;
    });
    await expect(run).rejects.toMatchObject({ code: 'STORE_FAILED', message: 'the object store answered 405' });
    expect(reasons).toMatchObject([{ code: 'STORE_FAILED' }]);
  });

  test('end it with the reason of a stopped job', async () => {
    const stopped = new AbortController();
    const run = uploadWhileWritten({ ...context, signal: stopped.signal }, tracks, async (signal) => {
      stopped.abort(new Error('the job was cancelled'));
      signal.throwIfAborted();
    });
    await expect(run).rejects.toThrow('the job was cancelled');
  });

  test('are found by polling where folders cannot be watched', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let changes = 0;
    const end = watchFolders([join(context.folder, 'missing')], () => void changes++);
    vi.advanceTimersByTime(650);
    end();
    vi.advanceTimersByTime(650);
    vi.useRealTimers();
    expect(changes).toBe(2);
  });

  test('are counted when they are stored in every track, without a gap and with the init segments', () => {
    const count = createStoredCount(['v0', 'v1'], 5);
    const steps: [string, TrackPart, number][] = [
      ['v0', 5, 0] as const,
      ['v1', 5, 0] as const,
      ['v0', 'init', 0] as const,
      ['v1', 7, 0] as const,
      ['v1', 'init', 1] as const,
      ['v0', 7, 1] as const,
      ['v0', 6, 1] as const,
      ['v1', 6, 3] as const,
    ].map((step) => [...step]);
    expect(steps.map(([track, part]) => count(track, part))).toEqual(steps.map(([, , expected]) => expected));
  });
});

test('a URL that the lease does not contain is requested together with the following ones', async () => {
  const asked: FileRequest[] = [];
  const names = Array.from({ length: 5 }, (_, n) => `a/0000${n}.m4s`);
  const many = await contextFor(
    files.store,
    { kind: 'probe', sizeBytes: 1 },
    {
      outputs: names.slice(0, 1),
      answerFiles: async (request) => {
        asked.push(request);
        return { urls: Object.fromEntries(names.slice(1).map((name) => [name, files.store.url(name)])) };
      },
    },
  );
  await mkdir(join(many.folder, 'a'));
  for (const name of names) await writeFile(join(many.folder, name), name);
  for (const name of names) await uploadFile(many, name);
  expect([...files.store.objects.keys()].sort()).toEqual(names);
  expect(asked).toEqual([{ ask: 'outputs', lease: 'L1', from: names[1] }]);
  await rm(many.folder, { recursive: true });
});

describe('a multipart upload', () => {
  const bytes = new Blob(['one', 'two', 'end']);
  let asked: PartRequest[];
  const service = async (request: PartRequest): Promise<FileResponse> => {
    asked.push(request);
    if (request.ask === 'open') return { s3UploadId: 'U1' };
    if (request.ask !== 'parts') return {};
    const numbers = Array.from({ length: request.count }, (_, n) => request.from + n);
    return { urls: Object.fromEntries(numbers.map((number) => [number, files.store.url(`part-${number}`)])) };
  };
  const send = (askParts = service) => uploadInParts({ ...context, askParts }, { file: 'a.m4s', bytes, partBytes: 3 });
  beforeEach(() => {
    asked = [];
  });

  test('joins its parts in order, whichever is sent first', async () => {
    await send();
    expect([1, 2, 3].map((n) => files.store.objects.get(`part-${n}`)?.toString())).toEqual(['one', 'two', 'end']);
    expect(asked.at(-1)).toMatchObject({
      ask: 'close',
      s3UploadId: 'U1',
      parts: [{ number: 1 }, { number: 2 }, { number: 3 }],
    });
  });

  test('repeats a part that a busy store rejected', async () => {
    files.store.failNext(503);
    await send();
    expect(files.store.requests).toHaveLength(4);
  });

  test('requests the URLs of later parts when it needs them', async () => {
    const many = new Blob(['x'.repeat(45)]);
    await uploadInParts({ ...context, askParts: service }, { file: 'a.m4s', bytes: many, partBytes: 1 });
    const parts = asked.flatMap((request) => (request.ask === 'parts' ? [[request.from, request.count]] : []));
    expect(parts).toEqual([
      [1, 20],
      [21, 20],
      [41, 5],
    ]);
  });

  test('is aborted in the store when it fails', async () => {
    files.store.failNext(405);
    await expect(send()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(asked.at(-1)).toEqual({ ask: 'abort', file: 'a.m4s', s3UploadId: 'U1' });
  });
});
