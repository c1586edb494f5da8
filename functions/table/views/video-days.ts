import * as z from 'zod';
import { bucketField, positionField } from '../../common/view-counts.ts';
import {
  type DistributionName,
  type Distributions,
  distributionNames,
  emptyDistributions,
} from '../../common/view-distributions.ts';
import type { Item } from '../items/items.ts';
import { dayRange, keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';

/** How many positions of a video are told apart. */
export const positionCount = 100;

/** The sums of a video on one UTC day. */
export type VideoDay = {
  bytes: number;
  views: number;
  watchedMilliseconds: number;
  /** how many playbacks have reached each hundredth of the video */
  reached: number[];
  distributions: Distributions;
};

const dayRecord = z.object({
  date: z.string(),
  bytes: z.number().default(0),
  views: z.number().default(0),
  watchedMilliseconds: z.number().default(0),
});

/** The sums of a video on the days from one to another, both included. A day without any is left out. */
export async function listVideoDays(videoUlid: string, fromDay: string, toDay: string): Promise<Map<string, VideoDay>> {
  const { from, to } = dayRange(fromDay, toDay);
  const days = new Map<string, VideoDay>();
  for (const item of await queryRange(keys.videoDay(videoUlid, fromDay, { number: 0 }).pk, from, to)) {
    const { date, ...totals } = dayRecord.parse(item);
    const read: VideoDay = {
      ...totals,
      reached: Array.from({ length: positionCount }, (_, position) => numberOf(item, positionField(position))),
      distributions: distributionsOf(item),
    };
    const known = days.get(date);
    days.set(date, known ? sumOfDays([known, read]) : read);
  }
  return days;
}

function distributionsOf(item: Item): Distributions {
  const counts = emptyDistributions();
  for (const name of distributionNames) {
    counts[name] = counts[name].map((_, bucket) => numberOf(item, bucketField(name, bucket)));
  }
  return counts;
}

const numberOf = (item: Item, field: string): number => {
  const { [field]: count } = item;
  return typeof count === 'number' ? count : 0;
};

/** The sums of several days. */
export function sumOfDays(days: readonly VideoDay[]): VideoDay {
  const total = (of: (day: VideoDay) => number): number => days.reduce((sum, one) => sum + of(one), 0);
  const distributions = emptyDistributions();
  for (const name of distributionNames) distributions[name] = summedBuckets(days, name);
  return {
    bytes: total(({ bytes }) => bytes),
    views: total(({ views }) => views),
    watchedMilliseconds: total(({ watchedMilliseconds }) => watchedMilliseconds),
    reached: Array.from({ length: positionCount }, (_, position) => total(({ reached }) => reached[position] ?? 0)),
    distributions,
  };
}

const summedBuckets = (days: readonly VideoDay[], name: DistributionName): number[] =>
  emptyDistributions()[name].map((_, bucket) =>
    days.reduce((sum, { distributions }) => sum + (distributions[name][bucket] ?? 0), 0),
  );
