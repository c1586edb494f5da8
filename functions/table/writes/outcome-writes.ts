import { day, timestamp } from '../../../shared/clock.ts';
import type { Changes } from '../items/expression.ts';
import type { Write } from '../items/items.ts';
import type { Video } from '../records.ts';
import { analyticsWrites } from './analytics-writes.ts';

const firstTimes = { completed: 'firstCompletedAt', failed: 'firstFailedAt' } as const;

/**
 * Counts a video that ends, once as completed and once as failed, each on the day of the first time, however often it
 * is processed. `mark` goes into the write that moves the video, `writes` into the same transaction.
 */
export function countedOutcome(video: Video, outcome: keyof typeof firstTimes): { mark: Changes; writes: Write[] } {
  const firstTime = firstTimes[outcome];
  if (video[firstTime] !== undefined) return { mark: {}, writes: [] };
  return {
    mark: { set: { [firstTime]: timestamp() } },
    writes: analyticsWrites(day(), { [outcome]: 1 }),
  };
}
