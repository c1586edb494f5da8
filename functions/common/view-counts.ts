import type { DistributionName } from './view-distributions.ts';

/**
 * What is added to the sums of a video on one day, by field: `bytes`, `views`, `watchedMilliseconds`, and those of
 * `positionField` and `bucketField`. A playback that moves to another bucket leaves the one before: -1.
 */
export type ViewCounts = Readonly<Record<string, number>>;

/** How many playbacks have reached a position, a hundredth of the video. */
export const positionField = (position: number): string => `p${position}`;

const letters: Record<DistributionName, string> = {
  startup_ms: 's',
  rebuffering_share: 'r',
  bitrate_kbps: 'b',
  errors: 'e',
};

/** How many playbacks are in a bucket. */
export const bucketField = (name: DistributionName, bucket: number): string => `${letters[name]}${bucket}`;
