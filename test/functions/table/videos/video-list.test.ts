import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VideoFilter } from '../../../../functions/table/videos/video-filter.ts';
import { listMatchingVideos, listVideos } from '../../../../functions/table/videos/video-list.ts';
import { type ManyVideos, mockManyVideos } from '../../../fixtures/records/mock-many-videos.ts';

let stored: ManyVideos;
beforeAll(() => {
  stored = mockManyVideos(100_000);
});
afterAll(() => stored.restore());

const page = (number: number) => listVideos(stored.owner, { offset: (number - 1) * 15, limit: 15 });

test('the first page of 100,000 videos is three calls of the store', async () => {
  const { total, videos } = await page(1);
  expect([total, videos.map(({ video }) => video.ulid)]).toEqual([100_000, stored.ulids.slice(0, 15)]);
  expect(stored.calls()).toEqual(['GetCommand', 'QueryCommand', 'BatchGetCommand']);
});

test('the first page reads the number of videos and the newest ones at the same time', async () => {
  const first = page(1);
  await Promise.resolve();
  expect(stored.calls()).toEqual(['GetCommand', 'QueryCommand']);
  await first;
  expect(stored.calls()).toEqual(['BatchGetCommand']);
});

test.each([
  [2500, 7],
  [5000, 5],
  [6667, 3],
])('page %i of them is %i calls', async (number, calls) => {
  const { videos } = await page(number);
  const offset = (number - 1) * 15;
  expect(videos.map(({ video }) => video.ulid)).toEqual(stored.ulids.slice(offset, offset + 15));
  expect(stored.calls()).toHaveLength(calls);
});

test('a page behind the last one is empty and takes one call', async () => {
  expect(await page(6668)).toEqual({ total: 100_000, videos: [] });
  expect(stored.calls()).toEqual(['GetCommand']);
});

const match = (filter: VideoFilter, cursor?: string) =>
  listMatchingVideos(stored.owner, filter, {
    cursor,
    limit: 15,
    createdFromMilliseconds: undefined,
    createdToMilliseconds: undefined,
  });

test.each([[{ status: 'pending' }], [{}]] as const)(
  'a page of the list that a filter names, %j, is three calls wherever it begins',
  async (filter) => {
    const { videos, next } = await match(filter, stored.ulids[50_000]);
    expect(videos.map(({ video }) => video.ulid)).toEqual(stored.ulids.slice(50_000, 50_015));
    expect(next).toBe(stored.ulids[50_015]);
    expect(stored.calls()).toEqual(['QueryCommand', 'BatchGetCommand', 'BatchGetCommand']);
  },
);

test('where few videos of a list match, a page reads at most 1,000 of them, and the next one continues', async () => {
  expect(await match({ status: 'pending', templateId: 5 })).toEqual({ videos: [], next: stored.ulids[1000] });
  expect(stored.calls()).toHaveLength(12);
  expect(await match({ status: 'pending', templateId: 5 }, stored.ulids[99_500])).toEqual({
    videos: [],
    next: undefined,
  });
  stored.calls();
});
