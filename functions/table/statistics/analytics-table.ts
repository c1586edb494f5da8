import * as z from 'zod';
import { day } from '../../../shared/clock.ts';
import { write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';

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

/** The metrics of the days from one to another, both included. A day without metrics is left out. */
export async function listAnalytics(from: string, to: string): Promise<Map<string, DayMetrics>> {
  const items = await queryRange(keys.analytics(from).pk, from, to);
  return new Map(
    items.map((item) => {
      const { sk, ...metrics } = dayRecord.parse(item);
      return [sk, metrics];
    }),
  );
}

/**
 * Adds to the CPU time of the day. Not part of a transaction: the transactions of all workers would conflict on one
 * item.
 */
export async function recordCpu(cpuMilliseconds: number): Promise<void> {
  if (cpuMilliseconds > 0)
    await write({ update: keys.analytics(day()), set: { kind: 'analytics' }, add: { cpuMs: cpuMilliseconds } });
}
