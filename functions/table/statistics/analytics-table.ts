import * as z from 'zod';
import { day, timestamp } from '../../../shared/clock.ts';
import type { Changes } from '../items/expression.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import type { Video } from '../records.ts';

const dayRecord = z.object({
  /** the UTC day */
  sk: z.string(),
  /** delivered to viewers */
  bytes: z.number().default(0),
  sessions: z.number().default(0),
  completed: z.number().default(0),
  failed: z.number().default(0),
  cpuMs: z.number().default(0),
});
export type DayMetrics = Omit<z.infer<typeof dayRecord>, 'sk'>;

/** What was counted on each of the days that have anything, both ends included. */
export async function listAnalytics(from: string, to: string): Promise<Map<string, DayMetrics>> {
  const items = await queryRange(keys.analytics(from).pk, from, to);
  return new Map(
    items.map((item) => {
      const { sk, ...metrics } = dayRecord.parse(item);
      return [sk, metrics];
    }),
  );
}

const firstTimes = { completed: 'firstCompletedAt', failed: 'firstFailedAt' } as const;

/**
 * How a video is counted that ends: once as completed and once as failed, each on the day of the first time, however often it is processed. `mark` goes
 * into the write that moves the video, `writes` into the same transaction.
 */
export function countedOutcome(video: Video, outcome: keyof typeof firstTimes): { mark: Changes; writes: Write[] } {
  const firstTime = firstTimes[outcome];
  if (video[firstTime] !== undefined) return { mark: {}, writes: [] };
  return {
    mark: { set: { [firstTime]: timestamp() } },
    writes: [{ update: keys.analytics(day()), set: { kind: 'analytics' }, add: { [outcome]: 1 } }],
  };
}
