import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Sum } from '../items/sums.ts';

/** Partitions: every job of the stage adds to the sums of the day, and one partition takes 1,000 writes a second. */
export const analyticsShards = 16;

type DayCounts = Partial<
  Record<'bytes' | 'sessions' | 'views' | 'watchedMs' | 'completed' | 'failed' | 'cpuMs', number>
>;

/**
 * Adds to the sums of a UTC day. Part of the transaction of what is counted, so that it is counted once. Nothing for
 * amounts of 0.
 */
export function analyticsWrites(date: string, counts: DayCounts): Write[] {
  const add = Object.fromEntries(Object.entries(counts).filter(([, amount]) => amount > 0));
  const sum: Sum = { keyOf: (shard) => keys.analytics(date, shard), shards: analyticsShards };
  return Object.keys(add).length > 0 ? [{ sum, set: { kind: 'analytics', date }, add }] : [];
}
