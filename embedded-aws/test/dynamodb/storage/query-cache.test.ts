import { expect, test, vi } from 'vitest';
import type { Change } from '../../../src/dynamodb/storage/database.ts';
import { createQueryCache, type KeyRange } from '../../../src/dynamodb/storage/query-cache.ts';

type Item = { name: { S: string } };
const item = (name: string): Item => ({ name: { S: name } });
const rangeOf = (partition: string, limit = -1): KeyRange => ({
  gte: `item~things~${partition}`,
  lt: `item~things~${partition}~`,
  reverse: false,
  limit,
});
const change = (key: string): Change => ({ type: 'put', key: `item~things~${key}`, value: item('new') });

/** A cache over a list of items, which counts the reads of it. */
function setUp(items: Item[]) {
  const cache = createQueryCache();
  const open = vi.fn(() => {
    const left = [...items];
    return { nextv: async (size: number) => left.splice(0, size), close: async () => {} };
  });
  const read = async (range: KeyRange, { upTo = Number.POSITIVE_INFINITY } = {}): Promise<string[]> => {
    const values = cache.openValues(range, open);
    const names: string[] = [];
    while (names.length < upTo) {
      const batch = (await values.nextv(2)) as Item[];
      if (batch.length === 0) break;
      names.push(...batch.map(({ name }) => name.S));
    }
    await values.close();
    return names;
  };
  return { cache, open, read, items };
}

const names = ['a', 'b', 'c'];
const partition = '0a1b2c/7573/';

test('a query that is repeated reads the database once; another one of the partition reads it again', async () => {
  const { read, open } = setUp(names.map(item));
  expect([await read(rangeOf(partition)), await read(rangeOf(partition))]).toEqual([names, names]);
  expect(open).toHaveBeenCalledTimes(1);
  await read({ ...rangeOf(partition), reverse: true });
  await read(rangeOf('0a1b2c/7574/'));
  expect(open).toHaveBeenCalledTimes(3);
});

test('a write of a partition makes its queries read the database again, and no others', async () => {
  const { cache, read, open, items } = setUp(names.map(item));
  await read(rangeOf(partition));
  await read(rangeOf('ffffff/7574/'));
  await cache.duringCommit([change(`${partition}64/`)], async () => void items.push(item('d')));
  expect(await read(rangeOf(partition))).toEqual([...names, 'd']);
  expect(await read(rangeOf('ffffff/7574/'))).toEqual(names);
  expect(open).toHaveBeenCalledTimes(3);
});

test('what is read while a write of the partition runs is not kept', async () => {
  const { cache, read, open, items } = setUp(names.map(item));
  const first = read(rangeOf(partition));
  let during: string[] = [];
  await cache.duringCommit([change(`${partition}64/`)], async () => {
    await first;
    during = await read(rangeOf(partition));
    items.push(item('d'));
  });
  expect(during).toEqual(names);
  expect(await read(rangeOf(partition))).toEqual([...names, 'd']);
  expect(open).toHaveBeenCalledTimes(3);
});

test('a read that begins before a write and ends after it is not kept, also when the write fails', async () => {
  const { cache, read, open } = setUp(names.map(item));
  const slow = read(rangeOf(partition));
  const failed = cache.duringCommit([change(`${partition}64/`)], () => Promise.reject(new Error('full')));
  await expect(failed).rejects.toThrow('full');
  await slow;
  expect(await read(rangeOf(partition))).toEqual(names);
  expect(open).toHaveBeenCalledTimes(2);
});

test('two writes of a partition at a time: its queries are kept when both have ended', async () => {
  const { cache, read, open } = setUp(names.map(item));
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const commits = gates.map(({ promise }) => cache.duringCommit([change(partition)], () => promise));
  gates[0].resolve();
  await commits[0];
  await read(rangeOf(partition));
  gates[1].resolve();
  await commits[1];
  for (let count = 0; count < 2; count++) await read(rangeOf(partition));
  expect(open).toHaveBeenCalledTimes(2);
});

test('only small, whole results of one partition are kept', async () => {
  const ranges: [KeyRange, Item[], object?][] = [
    [{ gte: 'item~things~', lt: 'item~things~\x7f', reverse: false, limit: -1 }, names.map(item)],
    [{ ...rangeOf(partition), lt: 'item~things~0a1b2d/' }, names.map(item)],
    [rangeOf(partition), names.map(item), { upTo: 2 }],
    [rangeOf(partition), [item('x'.repeat(17_000))]],
  ];
  for (const [range, items, options] of ranges) {
    const { read, open } = setUp(items);
    for (let count = 0; count < 2; count++) await read(range, options);
    expect(open).toHaveBeenCalledTimes(2);
  }
  const limited = setUp(names.map(item));
  for (let count = 0; count < 2; count++)
    expect(await limited.read(rangeOf(partition, 2), { upTo: 2 })).toHaveLength(2);
  expect(limited.open).toHaveBeenCalledTimes(1);
});

test('the partitions that were read longest ago leave the cache when it is full', async () => {
  const { read, open } = setUp([item('x'.repeat(15_000))]);
  const partitionAt = (n: number) => `0a1b2c/${n}/`;
  for (let n = 0; n < 80; n++) {
    await read(rangeOf(partitionAt(n)));
    await read(rangeOf(partitionAt(0)));
  }
  expect(open).toHaveBeenCalledTimes(80);
  await read(rangeOf(partitionAt(79)));
  expect(open).toHaveBeenCalledTimes(80);
  await read(rangeOf(partitionAt(1)));
  expect(open).toHaveBeenCalledTimes(81);
});
