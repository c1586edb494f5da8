import { expect, test } from 'vitest';
import { documents } from '../../../../functions/aws/table-client.ts';
import { newUlid } from '../../../../functions/common/ids.ts';
import { writeBatch } from '../../../../functions/table/items/items.ts';
import { findByWord } from '../../../../functions/table/videos/word-candidates.ts';
import { listingChanges } from '../../../../functions/table/writes/video-listing-writes.ts';
import { videoPosition } from '../../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../../shared/clock.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();

const everything = { from: '0'.repeat(26), to: 'Z'.repeat(26) };
const started = Date.parse('2026-11-20T10:00:00Z');

/** Lists videos with these names; the last one is the newest. */
async function storeNames(names: string[]) {
  const ownerUlid = newUlid();
  const videos = names.map((name, index) => {
    const createdAt = timestamp(started + index * 1000);
    return { ulid: newUlid(), ownerUlid, name, templateId: 1, externalUserId: null, createdAt };
  });
  const writes = videos.flatMap((video) => listingChanges(undefined, video));
  await writeBatch(writes.flatMap((write) => ('put' in write ? { put: write.put } : [])));
  const newestFirst = videos.toReversed().map((video) => ({ ...video, position: videoPosition(video) }));
  return { ownerUlid, newestFirst };
}

test('of all words with a beginning, the newest videos in any range are found, once each', async () => {
  const words = ['a', 'an', 'ant', 'antler', 'b', 'anz'];
  const names = Array.from({ length: 80 }, (_, index) =>
    [words[index % 6], words[(index * 7) % 5], index % 9 === 0 ? 'anzio' : ''].join(' '),
  );
  const { ownerUlid, newestFirst } = await storeNames(names);
  for (const beginning of ['a', 'an', 'ant', 'antlers', 'b', 'z']) {
    const matching = newestFirst.filter(({ name }) => name.split(' ').some((word) => word.startsWith(beginning)));
    for (const limit of [1, 2, 7, 100]) {
      for (const [first, last] of [
        [0, 80],
        [10, 60],
        [33, 34],
      ] as const) {
        const range = { to: newestFirst[first]!.position, from: newestFirst[last - 1]!.position };
        const expected = matching
          .filter(({ position }) => position <= range.to && position >= range.from)
          .slice(0, limit);
        const found = await findByWord(ownerUlid, 'WORD', beginning)(range, limit);
        expect(found, `${beginning} ${limit} ${first}`).toEqual(
          expected.map(({ position, ulid }) => ({ position, ulid })),
        );
      }
    }
  }
});

/** What is found, and how many items each query has read. */
async function findCounted(...[ownerUlid, beginning, limit]: [string, string, number]) {
  const read: number[] = [];
  documents.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      read.push((result.output as { Count: number }).Count);
      return result;
    },
    { step: 'initialize', name: 'countItems' },
  );
  const found = await findByWord(ownerUlid, 'WORD', beginning)(everything, limit);
  documents.middlewareStack.remove('countItems');
  return { ulids: found.map(({ ulid }) => ulid), read };
}

test('a word of every name costs a read of one page', async () => {
  const { ownerUlid, newestFirst } = await storeNames(Array.from({ length: 60 }, (_, index) => `img ${index}`));
  const { ulids, read } = await findCounted(ownerUlid, 'im', 5);
  expect(ulids).toEqual(newestFirst.slice(0, 5).map(({ ulid }) => ulid));
  // The sixth item says that the word has more; after it there is no other word.
  expect(read).toEqual([6, 0]);
});

test('words of many names cost a read of at most 100 items each, whatever the number of names', async () => {
  const { ownerUlid, newestFirst } = await storeNames(
    Array.from({ length: 750 }, (_, index) => ['img', 'imh', 'imi'][index % 3]!),
  );
  const { ulids, read } = await findCounted(ownerUlid, 'im', 5);
  expect(ulids).toEqual(newestFirst.slice(0, 5).map(({ ulid }) => ulid));
  expect(read).toEqual([6, 100, 100, 0]);
});

test('words of few names are read many at a time', async () => {
  const { ownerUlid, newestFirst } = await storeNames(Array.from({ length: 300 }, (_, index) => `im${index}`));
  const { ulids, read } = await findCounted(ownerUlid, 'im', 5);
  expect(ulids).toEqual(newestFirst.slice(0, 5).map(({ ulid }) => ulid));
  // The last item of a page is read again.
  expect(read).toEqual([6, 295]);
});
