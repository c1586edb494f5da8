import * as z from 'zod';
import { keys } from './keys.ts';
import { queryRange } from './ranges.ts';

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
