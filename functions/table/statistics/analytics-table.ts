import * as z from 'zod';
import { dayRange, keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import { analyticsShards } from '../writes/analytics-writes.ts';

const dayRecord = z.object({
  /** the UTC day */
  date: z.string(),
  /** delivered to viewers */
  bytes: z.number().default(0),
  sessions: z.number().default(0),
  views: z.number().default(0),
  watchedMs: z.number().default(0),
  completed: z.number().default(0),
  failed: z.number().default(0),
  cpuMs: z.number().default(0),
});
export type DayMetrics = Omit<z.infer<typeof dayRecord>, 'date'>;

/** The metrics of the days from one to another, both included. A day without metrics is left out. */
export async function listAnalytics(fromDay: string, toDay: string): Promise<Map<string, DayMetrics>> {
  const { from, to } = dayRange(fromDay, toDay);
  const shards = Array.from({ length: analyticsShards }, (_, number) => keys.analytics(fromDay, { number }).pk);
  const items = (await Promise.all(shards.map((pk) => queryRange(pk, from, to)))).flat();
  const days = new Map<string, DayMetrics>();
  for (const item of items) {
    const { date, ...metrics } = dayRecord.parse(item);
    days.set(date, sumOf(days.get(date), metrics));
  }
  return days;
}

const sumOf = (one: DayMetrics | undefined, other: DayMetrics): DayMetrics =>
  one
    ? {
        bytes: one.bytes + other.bytes,
        sessions: one.sessions + other.sessions,
        views: one.views + other.views,
        watchedMs: one.watchedMs + other.watchedMs,
        completed: one.completed + other.completed,
        failed: one.failed + other.failed,
        cpuMs: one.cpuMs + other.cpuMs,
      }
    : other;
