import { ListKeysCommand, UpdateKeysCommand } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { expect, test, vi } from 'vitest';
import {
  allowPublic,
  denyVideos,
  endPublic,
  putSigningKey,
  removeSigningKey,
} from '../../../functions/delivery/edge-keys.ts';
import { forgetDeleted } from '../../../functions/delivery/forget-deleted.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';

const store = useEdgeStore();
const day = 86_400;

test('each kind of entry has its own prefix, and a repeated removal has no effect', async () => {
  await putSigningKey('k1', 'secret');
  await allowPublic('A');
  await denyVideos(['B']);
  expect([...store.entries.keys()]).toEqual(['key/k1', 'public/A', 'deleted/B']);
  for (const _ of [1, 2]) {
    await removeSigningKey('k1');
    await endPublic('A');
  }
  expect([...store.entries.keys()]).toEqual(['deleted/B']);
});

test('a write that another writer outdated is repeated with the new version', async () => {
  let others = 2;
  store.onDescribe = () => {
    if (others-- > 0) store.version += 1;
  };
  await denyVideos(['A']);
  expect(store.entries.has('deleted/A')).toBe(true);
  expect(store.client.commandCalls(UpdateKeysCommand)).toHaveLength(3);
});

test('concurrent writes of a process do not outdate each other', async () => {
  await Promise.all(['A', 'B', 'C', 'D'].map((ulid) => denyVideos([ulid])));
  expect(store.entries.size).toBe(4);
  expect(store.client.commandCalls(UpdateKeysCommand)).toHaveLength(4);
});

test('a failed write does not stop the next one', async () => {
  store.failNext = true;
  const results = await Promise.allSettled([denyVideos(['A']), denyVideos(['B'])]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('a stage without a distribution writes nothing', async () => {
  delete process.env.EDGE_KEY_VALUE_STORE_ARN;
  await denyVideos(['A']);
  await forgetDeleted();
  expect(store.client.calls()).toEqual([]);
});

test('marks are removed once a day, seven days after the deletion', async () => {
  const at = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 1) + seconds * 1000 });
  at(0);
  await putSigningKey('k1', 'secret');
  await denyVideos(Array.from({ length: 60 }, (_, count) => `V${count}`));
  expect(store.client.commandCalls(UpdateKeysCommand)).toHaveLength(2);
  at(3 * day);
  await denyVideos(['late']);
  at(7 * day - 1);
  await forgetDeleted();
  expect(store.entries.size).toBe(62);
  at(7 * day + 3600);
  await forgetDeleted();
  expect(store.client.commandCalls(ListKeysCommand)).toEqual([]);
  at(8 * day);
  await forgetDeleted();
  expect([...store.entries.keys()]).toEqual(['key/k1', 'deleted/late']);
});

test('marks are removed after two days when the store is nearly full', async () => {
  const at = (days: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 1, 1) + days * day * 1000 });
  at(0);
  await denyVideos(['old']);
  at(1);
  await denyVideos(['new']);
  at(2);
  await forgetDeleted();
  expect([...store.entries.keys()]).toEqual(['deleted/old', 'deleted/new']);
  store.bytes = 4_500_000;
  await forgetDeleted();
  expect([...store.entries.keys()]).toEqual(['deleted/new']);
});
