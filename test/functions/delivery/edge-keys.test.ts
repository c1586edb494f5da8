import {
  DescribeKeyValueStoreCommand,
  ListKeysCommand,
  UpdateKeysCommand,
} from '@aws-sdk/client-cloudfront-keyvaluestore';
import { expect, test, vi } from 'vitest';
import { endPublic, putSigningKey, removeSigningKey, setPlayback } from '../../../functions/delivery/edge-keys.ts';
import { forgetDeleted } from '../../../functions/delivery/forget-deleted.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';

const store = useEdgeStore();
const day = 86_400;
const denyVideos = (deleted: string[]) => setPlayback({ deleted, public: [] });

test('each kind of entry has its own prefix, and a repeated removal has no effect', async () => {
  await putSigningKey('k1', 'secret');
  await setPlayback({ deleted: [], public: ['A'] });
  await denyVideos(['B']);
  expect([...store.entries.keys()]).toEqual(['key/k1', 'public/A', 'deleted/B']);
  for (const _ of [1, 2]) {
    await removeSigningKey('k1');
    await endPublic('A');
  }
  expect([...store.entries.keys()]).toEqual(['deleted/B']);
});

test('writes of a process after the first one are one request each, unless another process wrote', async () => {
  await denyVideos(['A']);
  store.client.resetHistory();
  await setPlayback({ deleted: ['B'], public: ['C'] });
  await endPublic('C');
  await endPublic('C');
  await denyVideos(['D']);
  expect(store.client.commandCalls(DescribeKeyValueStoreCommand)).toHaveLength(0);
  expect(store.client.calls()).toHaveLength(4);
  store.version += 1;
  await denyVideos(['E']);
  expect(store.client.commandCalls(DescribeKeyValueStoreCommand)).toHaveLength(1);
  expect([...store.entries.keys()]).toEqual(['deleted/A', 'deleted/B', 'deleted/D', 'deleted/E']);
});

test('a write that another writer outdated is repeated with the new version', async () => {
  await denyVideos(['A']);
  store.version += 1;
  let others = 1;
  store.onDescribe = () => {
    if (others-- > 0) store.version += 1;
  };
  await denyVideos(['A']);
  expect(store.entries.has('deleted/A')).toBe(true);
  expect(store.client.commandCalls(UpdateKeysCommand)).toHaveLength(4);
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

test('marks are removed on the first Monday that is seven days after the deletion', async () => {
  const monday = Date.UTC(2026, 0, 5);
  const at = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: monday + seconds * 1000 });
  at(3600);
  await putSigningKey('k1', 'secret');
  await denyVideos(Array.from({ length: 60 }, (_, count) => `V${count}`));
  expect(store.client.commandCalls(UpdateKeysCommand)).toHaveLength(2);
  at(7 * day);
  await forgetDeleted();
  expect(store.entries.size).toBe(61);
  store.client.resetHistory();
  for (const seconds of [7 * day + 3600, 8 * day, 14 * day + 3600]) {
    at(seconds);
    await forgetDeleted();
  }
  expect(store.client.commandCalls(ListKeysCommand)).toEqual([]);
  await denyVideos(['late']);
  at(14 * day);
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
