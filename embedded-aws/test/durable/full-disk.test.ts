import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { commitObject } from '../../src/s3/objects/put-object.ts';
import type { ObjectEvent } from '../../src/s3/s3-server.ts';
import { openStore } from '../../src/s3/storage/object-store.ts';
import { bucket } from '../s3/running.ts';
import { openJournaledMap } from './journaled-map.ts';

/** Bytes until the disk is full. What exceeds them is cut. */
const disk = vi.hoisted(() => ({ freeBytes: Number.POSITIVE_INFINITY }));

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  return {
    ...fs,
    async open(...args: Parameters<typeof fs.open>) {
      const file = await fs.open(...args);
      const appendFile = file.appendFile.bind(file);
      file.appendFile = async (text) => {
        const fits = String(text).slice(0, disk.freeBytes);
        disk.freeBytes -= fits.length;
        await appendFile(fits);
        if (fits !== text) throw new Error('ENOSPC: no space left on device');
      };
      return file;
    },
  };
});

afterEach(() => {
  disk.freeBytes = Number.POSITIVE_INFINITY;
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Between two attempts of a journal to write its file again. */
const retryMs = 5000;
function useFakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('after a full disk the journal is written again when there is space, with the changes that failed', async () => {
  useFakeTimers();
  const folder = await temporaryFolder();
  const { journal, set } = await openJournaledMap(join(folder, 'journal'));
  await set(1, 1);
  disk.freeBytes = 10;
  await expect(set(2, 2)).rejects.toThrow('could not be written');
  expect(journal.isWritable()).toBe(false);
  await expect(set(3, 3)).rejects.toThrow('could not be written');

  await vi.advanceTimersByTimeAsync(retryMs);
  await expect(set(4, 4)).rejects.toThrow('could not be written');
  expect(journal.isWritable()).toBe(false);
  expect(await readdir(folder)).toEqual(['journal', 'journal.proof']);

  disk.freeBytes = Number.POSITIVE_INFINITY;
  const writable = journal.whenWritable();
  await vi.advanceTimersByTimeAsync(retryMs);
  await Promise.all([writable, set(5, 5)]);
  expect(journal.isWritable()).toBe(true);
  await set(1, 6);
  await journal.close();
  const second = await openJournaledMap(join(folder, 'journal'));
  expect([...second.state]).toEqual([...[1, 2, 3, 4, 5].map((key) => [key, key === 1 ? 6 : key])]);
  await second.journal.close();
});

test('a journal that is closed while the disk is full has every record that was accepted', async () => {
  const folder = await temporaryFolder();
  const { journal, set } = await openJournaledMap(join(folder, 'journal'));
  await set(1, 1);
  disk.freeBytes = 10;
  await expect(set(2, 2)).rejects.toThrow('could not be written');
  const writable = journal.whenWritable();
  await journal.close();
  await expect(writable).rejects.toThrow('could not be written');
  disk.freeBytes = Number.POSITIVE_INFINITY;
  const second = await openJournaledMap(join(folder, 'journal'));
  expect([...second.state]).toEqual([[1, 1]]);
  await second.journal.close();
});

test('an object whose change was not written is stored with its event when there is space, and the old one is removed', async () => {
  useFakeTimers();
  const folder = await temporaryFolder();
  const events: ObjectEvent[] = [];
  const store = await openStore({
    folder,
    region: 'eu-west-2',
    findPrincipal: () => undefined,
    buckets: [bucket],
    onObjectCreated: (event) => void events.push(event),
  });
  onTestFinished(() => store.close());
  const put = async (content: string) => {
    const blob = await store.blobs.write(Readable.from([Buffer.from(content)]), []);
    const object = { bucket: bucket.name, key: 'video', blobs: [blob], sizeBytes: blob.sizeBytes, etag: content };
    return commitObject(store, bucket, { ...object, headers: {} }, { reason: 'PutObject' });
  };
  await put('first');
  disk.freeBytes = 0;
  await expect(put('second')).rejects.toThrow('could not be written');
  expect(store.isWritable()).toBe(false);
  expect(await readdir(join(folder, 'blobs'))).toHaveLength(2);

  disk.freeBytes = Number.POSITIVE_INFINITY;
  await vi.advanceTimersByTimeAsync(retryMs);
  await vi.waitFor(() => expect(events.map(({ etag }) => etag)).toEqual(['first', 'second']));
  await vi.waitFor(async () => expect(await readdir(join(folder, 'blobs'))).toHaveLength(1));
  expect(store.isWritable()).toBe(true);
});
