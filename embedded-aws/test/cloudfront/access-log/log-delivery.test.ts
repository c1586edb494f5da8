import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { logKeyPrefix, openLogDelivery } from '../../../src/cloudfront/access-log/log-delivery.ts';

/** Bytes until the disk is full. A text that exceeds them is written partly. */
const disk = vi.hoisted(() => ({ freeBytes: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    appendFileSync(file: number, text: string) {
      fs.appendFileSync(file, text.slice(0, disk.freeBytes));
      if (text.length > disk.freeBytes) throw new Error('ENOSPC: no space left on device');
    },
  };
});

afterEach(() => {
  disk.freeBytes = Number.POSITIVE_INFINITY;
});

const nowMs = Date.parse('2026-11-22T10:30:00Z');
const ids = { distributionId: 'EDFDVBD6EXAMPLE', accountId: '000000000000' };

async function open(put: (key: string, body: Buffer) => Promise<void>, folder?: string) {
  const used = folder ?? (await mkdtemp(join(tmpdir(), 'log-')));
  if (!folder) onTestFinished(() => rm(used, { recursive: true }));
  const errors: unknown[] = [];
  const keyPrefix = logKeyPrefix({ prefix: 'logs/edge', suffixPath: '{yyyy}/{MM}/{dd}/{HH}' }, ids);
  const delivery = await openLogDelivery({
    folder: used,
    keyPrefix,
    put,
    onError: (error) => errors.push(error),
    now: () => nowMs,
  });
  return { delivery, folder: used, errors };
}

test('the lines are one compressed object under the prefix of the destination', async () => {
  const objects = new Map<string, string>();
  const { delivery } = await open(async (key, body) => void objects.set(key, gunzipSync(body).toString()));
  delivery.write('one\n');
  delivery.write('two\n');
  await delivery.close();
  expect([...objects]).toEqual([
    [
      expect.stringMatching(/^logs\/edge\/2026\/11\/22\/10\/EDFDVBD6EXAMPLE\.2026-11-22-10\.[0-9a-f]{8}\.gz$/),
      'one\ntwo\n',
    ],
  ]);
});

test('what could not be delivered is delivered after the next start, under the same key', async () => {
  const keys: string[] = [];
  const failing = async (key: string): Promise<void> => {
    keys.push(key);
    throw new Error('no store');
  };
  const first = await open(failing);
  first.delivery.write('one\n');
  await first.delivery.close();
  expect(first.errors).toEqual([new Error('no store')]);
  const second = await open(async (key) => void keys.push(key), first.folder);
  await second.delivery.close();
  expect(keys[0]).toBe(keys[1]);
  expect(await readdir(first.folder)).toEqual([]);
});

test('without lines nothing is delivered, and many lines do not stay in memory', async () => {
  const keys: string[] = [];
  const { delivery, folder } = await open(async (key) => void keys.push(key));
  await delivery.deliver();
  expect(keys).toEqual([]);
  for (let line = 0; line < 3000; line++) delivery.write(`${'x'.repeat(49)}\n`);
  expect(await readdir(folder)).toEqual(['growing']);
  await delivery.close();
  expect(keys).toHaveLength(1);
});

test('a line is in the file after half a second and in the bucket after ten, and then no timer runs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let stored = Promise.withResolvers<string>();
  let isBroken = false;
  const { delivery, folder, errors } = await open(async (_, body) => {
    stored.resolve(gunzipSync(body).toString());
    if (isBroken) throw new Error('no store');
  });
  await delivery.deliver();
  expect(vi.getTimerCount()).toBe(0);
  delivery.write('one\n');
  delivery.write('two\n');
  vi.advanceTimersByTime(500);
  expect(await readFile(join(folder, 'growing'), 'utf8')).toBe('one\ntwo\n');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(9500);
  expect(await stored.promise).toBe('one\ntwo\n');
  expect(vi.getTimerCount()).toBe(0);

  isBroken = true;
  delivery.write('three\n');
  vi.advanceTimersByTime(10_000);
  await delivery.deliver();
  expect(errors.length).toBeGreaterThan(0);
  isBroken = false;
  stored = Promise.withResolvers();
  // What failed is repeated although no line follows.
  vi.advanceTimersByTime(10_000);
  expect(await stored.promise).toBe('three\n');
  await delivery.close();
  expect(await readdir(folder)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('on a full disk lines wait in memory, up to a megabyte, and are delivered whole when there is space', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stored = Promise.withResolvers<string>();
  const { delivery, errors } = await open(async (_, body) => stored.resolve(gunzipSync(body).toString()));
  await delivery.deliver();
  disk.freeBytes = 2;
  delivery.write('one\n');
  vi.advanceTimersByTime(500);
  expect(errors).toEqual([new Error('ENOSPC: no space left on device')]);
  for (let line = 0; line < 3000; line++) delivery.write(`${'x'.repeat(999)}\n`);
  vi.advanceTimersByTime(10_000);
  await delivery.deliver();
  expect(errors.length).toBeGreaterThan(1);
  disk.freeBytes = Number.POSITIVE_INFINITY;
  // Without a further line.
  vi.advanceTimersByTime(10_000);
  expect((await stored.promise).split('\n').slice(0, 3)).toEqual(['one', 'x'.repeat(999), 'x'.repeat(999)]);
  expect((await stored.promise).length).toBe(1_049_004);
  await delivery.close();
});

test('without a suffix path, the key has the path that CloudWatch uses', () => {
  const key = logKeyPrefix({ prefix: '', suffixPath: 'AWSLogs/{account-id}/CloudFront/' }, ids)(new Date(nowMs));
  expect(key).toBe('AWSLogs/000000000000/CloudFront/EDFDVBD6EXAMPLE.2026-11-22-10');
});
