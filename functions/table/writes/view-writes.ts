import { nowSeconds } from '../../../shared/clock.ts';
import type { DistributionName } from '../../common/view-distributions.ts';
import { hash } from '../items/due-keys.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Sum } from '../items/sums.ts';
import { keyPart } from './usage-writes.ts';

/** What an access log adds to the views of a video on one day. */
export type DayViews = {
  bytes: number;
  views: number;
  watchedMilliseconds: number;
  /** by position in the video, a hundredth of its duration: how many playbacks have reached it */
  reached: Map<number, number>;
  /** by bucket; below zero where playbacks have moved to another one */
  distributions: Map<DistributionName, Map<number, number>>;
};

export const emptyViews = (): DayViews => ({
  bytes: 0,
  views: 0,
  watchedMilliseconds: 0,
  reached: new Map(),
  distributions: new Map(),
});

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

/** The names of the fields for buckets begin with a letter, so that an item stays small. */
export const distributionLetters: Record<DistributionName, string> = {
  startup_ms: 's',
  rebuffering_share: 'r',
  bitrate_kbps: 'b',
  errors: 'e',
};

/**
 * Adds to the views of a video on a UTC day and to those of its owner. Part of the transaction that marks the video of
 * the log as counted.
 */
export function viewWrites(video: OwnedVideo, date: string, added: DayViews): Write[] {
  const { ulid, ownerUlid, externalUserId, durationSeconds } = video;
  const { bytes, views, watchedMilliseconds } = added;
  const totals = nonZero({ bytes, views, watchedMilliseconds });
  const details = nonZero(Object.fromEntries([...positionFields(added), ...bucketFields(added)]));
  const expiresAt = nowSeconds() + keptSeconds;
  const ofVideo: Sum = { keyOf: (shard) => keys.videoDay(ulid, date, shard), shards: 1 };
  const shardNumber = hash(ulid) % watchedShards;
  const ofDay: Sum = { keyOf: (shard) => keys.watchedVideo(date, shardNumber, ownerUlid, ulid, shard), shards: 1 };
  const external = keyPart(externalUserId);
  const ofOwner: Sum = { keyOf: (shard) => keys.viewing(ownerUlid, date, external, shard), shards: viewingShards };
  const writes: Write[] = [];
  if (Object.keys({ ...totals, ...details }).length > 0) {
    writes.push({
      sum: ofVideo,
      set: { kind: 'video-day', date, durationSeconds, expiresAt },
      add: { ...totals, ...details },
    });
  }
  if (Object.keys(totals).length > 0) {
    writes.push(
      { sum: ofDay, set: { kind: 'watched-video', ownerUlid, videoUlid: ulid, expiresAt }, add: totals },
      { sum: ofOwner, set: { kind: 'viewing', userUlid: ownerUlid, date, externalUserId }, add: totals },
    );
  }
  return writes;
}

const positionFields = ({ reached }: DayViews): [string, number][] =>
  [...reached].map(([position, count]) => [`p${position}`, count]);

const bucketFields = ({ distributions }: DayViews): [string, number][] =>
  [...distributions].flatMap(([name, counts]) =>
    [...counts].map(([bucket, count]): [string, number] => [`${distributionLetters[name]}${bucket}`, count]),
  );

const nonZero = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
