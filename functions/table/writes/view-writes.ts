import { nowSeconds } from '../../../shared/clock.ts';
import type { ViewCounts } from '../../common/view-counts.ts';
import { hash } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Sum } from '../items/sums.ts';
import { keyPart } from './usage-writes.ts';

export type OwnedVideo = { ulid: string; ownerUlid: string; externalUserId: string | null; durationSeconds: number };

/**
 * Partitions of the videos of a day. Each log adds once to each video in it, and an addition takes two write units: two
 * thousand of them fit into a second.
 */
export const watchedShards = 4;

/** Partitions of what a user's viewers cause on a day: it is written as often as all videos of the user together. */
export const viewingShards = 6;

/** The sums of videos are kept longer than the longest range that can be asked for. */
const keptSeconds = 400 * 86_400;

/**
 * Adds to the sums of a video on a UTC day and to those of its owner. Part of the transaction that marks the video of
 * the log as counted.
 */
export function viewWrites(video: OwnedVideo, date: string, counts: ViewCounts): Write[] {
  const { ulid, ownerUlid, externalUserId, durationSeconds } = video;
  const all = nonZero(counts);
  const { bytes = 0, views = 0, watchedMilliseconds = 0 } = counts;
  const totals = nonZero({ bytes, views, watchedMilliseconds });
  const expiresAt = nowSeconds() + keptSeconds;
  const shardNumber = hash(ulid) % watchedShards;
  const external = keyPart(externalUserId);
  const ofVideo: Sum = { keyOf: (shard) => keys.videoDay(ulid, date, shard), shards: 1 };
  const ofDay: Sum = { keyOf: (shard) => keys.watchedVideo(date, shardNumber, ownerUlid, ulid, shard), shards: 1 };
  const ofOwner: Sum = {
    keyOf: (shard) => keys.usage(ownerUlid, date, 'viewing', external, shard),
    shards: viewingShards,
  };
  const writes: Write[] = [];
  if (Object.keys(all).length > 0) {
    writes.push({ sum: ofVideo, set: { kind: 'video-day', date, durationSeconds, expiresAt }, add: all });
  }
  if (Object.keys(totals).length > 0) {
    writes.push(
      { sum: ofDay, set: { kind: 'watched-video', ownerUlid, videoUlid: ulid, expiresAt }, add: totals },
      { sum: ofOwner, set: { kind: 'viewing', userUlid: ownerUlid, date, externalUserId }, add: totals },
    );
  }
  return writes;
}

const nonZero = (counts: ViewCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
