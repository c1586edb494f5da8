import * as z from 'zod';
import { mapBounded } from '../../common/concurrency.ts';
import type { VideoOrder } from '../../common/view-distributions.ts';
import { getItems, type Item, queryItems } from '../items/items.ts';
import { keys, watchedPrefix } from '../items/keys.ts';
import { type Video, videoRecord } from '../records.ts';
import { watchedShards } from '../writes/view-writes.ts';

type WatchedVideo = { videoUlid: string; bytes: number; views: number; watchedMilliseconds: number };

/** `name`: null when the video is deleted */
export type ListedVideo = WatchedVideo & { name: string | null };

const watchedRecord = z.object({
  videoUlid: z.string(),
  bytes: z.number().default(0),
  views: z.number().default(0),
  watchedMilliseconds: z.number().default(0),
});

/**
 * How many rows one call reads, one for each video and day on which it was watched. With more of them, the first days
 * of the range are left out.
 */
export const maxWatchedRows = 50_000;
const daysAtOnce = 8;

/**
 * The videos that were watched most on the given days, at most `limit`: all of the stage, or those of one owner. The
 * last days are read first. `firstDay` is the first one that could be read.
 */
export async function listMostWatched(
  days: readonly string[],
  { ownerUlid, order, limit }: { ownerUlid?: string; order: VideoOrder; limit: number },
): Promise<{ firstDay: string; videos: ListedVideo[] }> {
  const sums = new Map<string, WatchedVideo>();
  const left = [...days];
  let rows = 0;
  let firstDay = days.at(-1) ?? '';
  while (left.length > 0 && rows < maxWatchedRows) {
    const dates = left.splice(-daysAtOnce);
    const partitions = dates.flatMap((date) =>
      Array.from({ length: watchedShards }, (_, shard) => keys.watchedVideos(date, shard)),
    );
    const pages = await mapBounded(
      partitions,
      (pk) => queryItems(pk, ownerUlid === undefined ? '' : watchedPrefix(ownerUlid)),
      watchedShards * daysAtOnce,
    );
    for (const items of pages) for (const item of items) addTo(sums, item);
    rows += pages.reduce((sum, { length }) => sum + length, 0);
    firstDay = dates[0] ?? firstDay;
  }
  const most = [...sums.values()]
    .sort((a, b) => sortedBy(b, order) - sortedBy(a, order) || (a.videoUlid < b.videoUlid ? -1 : 1))
    .slice(0, limit);
  return { firstDay, videos: await withNames(most) };
}

function addTo(sums: Map<string, WatchedVideo>, item: Item): void {
  const { videoUlid, bytes, views, watchedMilliseconds } = watchedRecord.parse(item);
  const known = sums.get(videoUlid) ?? { videoUlid, bytes: 0, views: 0, watchedMilliseconds: 0 };
  known.bytes += bytes;
  known.views += views;
  known.watchedMilliseconds += watchedMilliseconds;
  sums.set(videoUlid, known);
}

const sortedBy = ({ views, watchedMilliseconds, bytes }: WatchedVideo, order: VideoOrder): number =>
  order === 'views' ? views : order === 'watched' ? watchedMilliseconds : bytes;

/** A deleted video has no name any more. */
async function withNames(videos: WatchedVideo[]): Promise<ListedVideo[]> {
  const items = await getItems(videos.map(({ videoUlid }) => keys.video(videoUlid)));
  const records = new Map(items.map((item): [string, Video] => [String(item.ulid), videoRecord.parse(item)]));
  return videos.map((one) => {
    const record = records.get(one.videoUlid);
    return { ...one, name: record && record.deletedAt === undefined ? record.name : null };
  });
}
