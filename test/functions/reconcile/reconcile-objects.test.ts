import { DeleteObjectsCommand, ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { ulid } from 'ulid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { reconcileObjects } from '../../../functions/reconcile/reconcile-objects.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
const store = mockClient(S3Client);

/** Folders of videos without a record. A page has one of them. */
let folders: string[];
const folderOf = (day: string) => `videos/${ulid(Date.parse(day))}/`;
const passHours = (hours: number) => vi.setSystemTime(Date.now() + hours * 3_600_000);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:00Z') });
  for (const name of ['videos', 'uploads']) await write({ delete: keys.scan(name) });
  folders = ['2026-01-01', '2026-01-02', '2026-01-03'].map(folderOf);
  store.reset();
  store.on(ListMultipartUploadsCommand).resolves({});
  store.on(ListObjectsV2Command).callsFake(({ Prefix, Delimiter, StartAfter = '' }) => {
    if (Delimiter === undefined) return { Contents: folders.includes(Prefix) ? [{ Key: `${Prefix}a.m4s` }] : [] };
    const [next, ...others] = folders.filter((folder) => folder > StartAfter);
    return { CommonPrefixes: next === undefined ? [] : [{ Prefix: next }], IsTruncated: others.length > 0 };
  });
  store.on(DeleteObjectsCommand).callsFake(({ Delete }) => {
    folders = folders.filter((folder) => !Delete.Objects.some(({ Key }: { Key: string }) => Key.startsWith(folder)));
    return {};
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const allTime = { untilMilliseconds: Number.POSITIVE_INFINITY, concurrency: 1 };
const onePage = { untilMilliseconds: 0, concurrency: 1 };
// Most folders here have no video.
const scheduled = async (limits = allTime) => (await reconcileObjects(limits, true, true)).folders;
const listed = () =>
  store.commandCalls(ListObjectsV2Command).filter(({ args }) => args[0].input.Delimiter !== undefined).length;

test('scheduled runs scan the bucket at once when they have not before, and then once a day', async () => {
  expect(await scheduled()).toBe(3);
  expect(folders).toEqual([]);
  folders = [folderOf('2026-01-04')];
  store.resetHistory();
  for (let run = 0; run < 4; run++) {
    passHours(0.25);
    expect(await scheduled()).toBe(0);
  }
  expect(store.commandCalls(ListObjectsV2Command)).toEqual([]);
  passHours(22.9);
  expect(await scheduled()).toBe(0);
  passHours(0.25);
  expect(await scheduled()).toBe(1);
});

test('a pass that takes several runs continues with each of them, and the next one begins a day after its begin', async () => {
  for (let run = 0; run < 3; run++) {
    expect(await scheduled(onePage)).toBe(1);
    passHours(0.25);
  }
  expect(folders).toEqual([]);
  folders = [folderOf('2026-01-04')];
  passHours(23);
  expect(await scheduled(onePage)).toBe(0);
  passHours(0.25);
  expect(await scheduled(onePage)).toBe(1);
});

test('any other run begins a pass from the start, which scheduled runs continue', async () => {
  expect(await scheduled(onePage)).toBe(1);
  folders = [folderOf('2025-12-31'), ...folders];
  expect((await reconcileObjects(onePage, false, true)).folders).toBe(1);
  expect(await scheduled()).toBe(2);
  expect(folders).toEqual([]);
  store.resetHistory();
  expect((await reconcileObjects(allTime, false, true)).folders).toBe(0);
  expect(listed()).toBe(1);
});

test('a position that was stored before passes had a begin is continued', async () => {
  await write({ put: { ...keys.scan('videos'), kind: 'scan', after: folders[0]! } });
  expect(await scheduled()).toBe(2);
  expect(await scheduled()).toBe(1);
  expect(await scheduled()).toBe(0);
});
