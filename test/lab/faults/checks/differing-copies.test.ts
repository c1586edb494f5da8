import { expect, test } from 'vitest';
import { differingCopies } from '../../../../lab/faults/checks/differing-copies.ts';
import { type CustomerStorage, sha256 } from '../../../../lab/faults/store/customer-storage.ts';
import type { Account, Item } from '../../../journey/support/account.ts';

const folder = 'plans/v/deliveries/d/';
const objects = new Map(
  Object.entries({
    [`${folder}list-0.json`]: JSON.stringify([
      { source: 'videos/v/1.m4s', path: 'v/1.m4s', replaceable: false },
      { source: `${folder}manifest`, path: 'v/hls.m3u8', replaceable: true },
    ]),
    'videos/v/1.m4s': 'segment',
    [`${folder}manifest`]: 'manifest',
  }).map(([key, text]) => [key, Buffer.from(text)]),
);
const account = {
  bucket: 'b',
  store: {
    send: async ({ input }: { input: { Key: string } }) => ({
      Body: { transformToByteArray: async () => objects.get(input.Key) },
    }),
  },
} as unknown as Account;

const storage = { pk: 'STORAGE#s', sk: 'STORAGE', kind: 's3', ulid: 's', prefix: 'films/' };
const delivery = {
  pk: 'STORAGE_DELIVERY#d',
  sk: 'DELIVERY',
  kind: 'storage-delivery',
  ulid: 'd',
  videoUlid: 'v',
  storageUlid: 's',
  status: 'completed',
  listing: 'list',
  endedAt: '1',
};
const later = { ...delivery, ulid: 'e', listing: 'other', endedAt: '2' };
const retired = { pk: 'RETIRED#d', sk: 'RETIRED', kind: 'retired', prefix: folder };
const whole = { 'films/v/1.m4s': 'segment', 'films/v/hls.m3u8': 'manifest' };

async function compare(
  copies: Record<string, string>,
  { items = [storage, delivery] as Item[], objectKeys = [...objects.keys()], openUploads = 0 } = {},
) {
  const stored = { items, objectKeys, openMultiparts: [], runningExecutions: [] };
  const found = new Map(Object.entries(copies).map(([key, text]) => [key, sha256(Buffer.from(text))]));
  const target = { hashes: async () => found, openUploads: async () => openUploads } as CustomerStorage;
  return differingCopies(account, target, stored);
}

test('each file of a completed delivery is compared with its copy', async () => {
  expect(await compare(whole)).toEqual({
    violations: [],
    summary: '1 deliveries completed, with 2 files that equal the stored ones, and 0 failed',
  });
  const { 'films/v/1.m4s': _, ...without } = whole;
  expect((await compare(without)).violations).toEqual(['the delivery d is completed without v/1.m4s']);
  expect((await compare({ ...whole, 'films/v/1.m4s': 'segmen' })).violations).toEqual([
    'v/1.m4s of the delivery d differs',
  ]);
});

test('files that another delivery may replace are compared with those of the last one', async () => {
  const changed = { ...whole, 'films/v/hls.m3u8': 'newer' };
  expect((await compare(changed)).violations).toEqual(['v/hls.m3u8 of the delivery d differs']);
  expect((await compare(changed, { items: [storage, delivery, later] })).violations).toEqual([]);
});

test('a list that is gone too early and an open upload are violations', async () => {
  const objectKeys = [...objects.keys()].filter((key) => !key.includes('list'));
  const items = [storage, delivery, retired];
  expect((await compare(whole, { items, objectKeys, openUploads: 1 })).violations).toEqual([
    'the delivery d has no list of its files',
    '1 multipart uploads with parts are open in the storage',
  ]);
  expect((await compare(whole, { items: [storage, delivery], objectKeys })).violations).toEqual([]);
});
