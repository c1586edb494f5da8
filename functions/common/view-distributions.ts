/**
 * What playback was like, as distributions over playbacks. Each number is where a bucket begins; it ends where the next
 * one begins, and the last one has no end. Sums of buckets of several days add up. Buckets never change: stored sums
 * are named by their position.
 */
export const distributionBuckets = {
  /** from the start of playback to the first picture, in milliseconds */
  startup_ms: [0, 250, 500, 1000, 1500, 2000, 3000, 5000, 10_000, 30_000],
  /** time that viewers waited in the middle, as a share of that time and of the time that they watched */
  rebuffering_share: [0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
  /** mean encoded bitrate of what was loaded */
  bitrate_kbps: [0, 200, 400, 800, 1500, 2500, 4000, 6000, 10_000, 20_000],
  /** errors that the player reported */
  errors: [0, 1, 2, 5],
} as const;

export type DistributionName = keyof typeof distributionBuckets;
export const distributionNames = Object.keys(distributionBuckets) as DistributionName[];

/** How many playbacks each bucket has. */
export type Distributions = Record<DistributionName, number[]>;

export const emptyDistributions = (): Distributions =>
  Object.fromEntries(
    distributionNames.map((name) => [name, distributionBuckets[name].map(() => 0)]),
  ) as unknown as Distributions;

/** The position of the bucket that a value belongs to. */
export const bucketOf = (name: DistributionName, value: number): number =>
  Math.max(
    0,
    (distributionBuckets[name] as readonly number[]).findLastIndex((from) => value >= from),
  );

/**
 * The value below which a share of the playbacks is, as if those of a bucket were spread over it evenly. The last
 * bucket has no end: its beginning is returned. Null without a playback.
 */
export function quantile(name: DistributionName, counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const bounds: readonly number[] = distributionBuckets[name];
  let before = 0;
  for (const [position, count] of counts.entries()) {
    const from = bounds[position] ?? 0;
    const to = bounds[position + 1];
    if (count > 0 && before + count >= share * total) {
      return to === undefined ? from : from + ((share * total - before) / count) * (to - from);
    }
    before += count;
  }
  return bounds.at(-1) ?? null;
}

/** What a list of watched videos is in order of. */
export const videoOrders = ['views', 'watched', 'bytes'] as const;
export type VideoOrder = (typeof videoOrders)[number];
