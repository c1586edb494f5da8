import * as z from 'zod';
import { getItem, getItems, type Item, queryIndex } from '../items/items.ts';
import { keys, owned, ulidIn } from '../items/keys.ts';
import { type Video, videoRecord } from '../records.ts';
import { type PositionRange, positionsBetween } from './candidates.ts';
import { findTranscriptWords } from './transcript-words.ts';
import { candidatesOf, isListed, matchesFilter, type VideoFilter } from './video-filter.ts';
import { type WholeVideo, wholeVideo } from './video-table.ts';

const counts = z.object({ videos: z.number().default(0) });

/**
 * A page of a user's videos with their streams, newest first, and their total number. A deep page costs reads of keys
 * only: one for each video between it and the nearer end of the list.
 */
export async function listVideos(
  ownerUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; videos: WholeVideo[] }> {
  const { ownerKey } = owned(ownerUlid, 'video', '');
  const newest = (limit: number): Promise<Item[]> => queryIndex('byOwner', ownerKey, { descending: true, limit });
  // Which end is nearer depends on the number, except for the first page.
  const [counted, first] = await Promise.all([
    getItem(counts, keys.userCounts(ownerUlid)),
    offset === 0 ? newest(limit) : undefined,
  ]);
  const total = counted?.videos ?? 0;
  if (offset >= total) return { total, videos: [] };
  const before = Math.max(0, total - offset - limit);
  const found =
    first ??
    (before < offset
      ? (await queryIndex('byOwner', ownerKey, { limit: total - offset })).slice(before).reverse()
      : (await newest(offset + limit)).slice(offset));
  return { total, videos: await readVideos(found.map(ulidIn)) };
}

export type FilteredPage = {
  /** `next` of the page before; undefined for the first page */
  cursor: string | undefined;
  limit: number;
  createdFromMilliseconds: number | undefined;
  createdToMilliseconds: number | undefined;
};

/** How many records one page may read to find its videos. */
const maxExamined = 1000;

/** The same where their captions decide too: the words of one video are about 8 KB. */
const maxTranscripts = 200;

/**
 * A page of those of a user's videos that match a filter, newest first. A page can have fewer videos than `limit`, also
 * none, although more follow. `next` is where the next page begins: a position among the owner's videos, which selects
 * nothing of another owner.
 */
export async function listMatchingVideos(
  ownerUlid: string,
  filter: VideoFilter,
  { cursor, limit, createdFromMilliseconds, createdToMilliseconds }: FilteredPage,
): Promise<{ next: string | undefined; videos: WholeVideo[] }> {
  const range = upTo(cursor, positionsBetween(createdFromMilliseconds, createdToMilliseconds));
  const isInTranscript = filter.inTranscript === true && filter.words !== undefined;
  const wanted = isListed(filter) ? limit : isInTranscript ? maxTranscripts : maxExamined;
  const findCandidates = await candidatesOf(ownerUlid, filter);
  const candidates = range.from > range.to ? [] : await findCandidates(range, wanted + 1);
  const matching: Item[] = [];
  let examined = 0;
  while (matching.length < limit && examined < Math.min(wanted, candidates.length)) {
    // The first ones often match, with all that is asked for.
    const batch = candidates.slice(examined, Math.min(wanted, examined + (examined === 0 ? limit : 100)));
    const records = await getItems(batch.map(({ ulid }) => keys.video(ulid)));
    const videos = new Map(records.map((record) => [record.pk, videoRecord.parse(record)]));
    const spoken = isInTranscript ? await spokenIn([...videos.values()], ownerUlid, filter) : new Map();
    for (const { ulid } of batch) {
      if (matching.length === limit) break;
      examined++;
      const record = records.find(({ pk }) => pk === keys.video(ulid).pk);
      const video = videos.get(keys.video(ulid).pk);
      if (record && video && isMatch(video, ownerUlid, filter, spoken.get(ulid))) matching.push(record);
    }
  }
  return { next: candidates[examined]?.position, videos: await withStreams(matching) };
}

/** An index can lag behind the record. */
const isMatch = (video: Video, ownerUlid: string, filter: VideoFilter, spoken?: readonly string[]): boolean =>
  video.deletedAt === undefined && video.ownerUlid === ownerUlid && matchesFilter(video, filter, spoken);

/** The words of the captions of those videos for which they decide. */
const spokenIn = (
  videos: readonly Video[],
  ownerUlid: string,
  filter: VideoFilter,
): Promise<Map<string, readonly string[]>> =>
  findTranscriptWords(
    videos
      .filter(
        (video) => isMatch(video, ownerUlid, { ...filter, words: undefined }) && !isMatch(video, ownerUlid, filter),
      )
      .map(({ ulid }) => ulid),
  );

const upTo = (cursor: string | undefined, { from, to }: PositionRange): PositionRange => ({
  from,
  to: cursor !== undefined && cursor < to ? cursor : to,
});

async function withStreams(records: Item[]): Promise<WholeVideo[]> {
  const streams = await getItems(records.map((record) => keys.streams(ulidIn(record))));
  return records.flatMap((record) => wholeVideo([record, ...streams.filter(({ pk }) => pk === record.pk)]) ?? []);
}

/** Videos with their streams. Deleted ones are left out. */
async function readVideos(ulids: string[]): Promise<WholeVideo[]> {
  const items = await getItems(ulids.flatMap((ulid) => [keys.video(ulid), keys.streams(ulid)]));
  return ulids.flatMap((ulid) => wholeVideo(items.filter(({ pk }) => pk === keys.video(ulid).pk)) ?? []);
}
