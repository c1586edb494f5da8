import * as z from 'zod';
import { usageMetrics } from '../../common/usage-metrics.ts';
import { dayRange, keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import { usageShards } from '../writes/usage-writes.ts';

/** A day's sum: bytes for upload_bytes, milliseconds for encoding_cpu. `date` is a UTC day. */
const usageRecord = z.object({
  metric: z.enum(usageMetrics),
  date: z.string(),
  externalUserId: z.string().nullable(),
  value: z.number(),
});
export type Usage = z.infer<typeof usageRecord>;

/** A user's sums of the days from one UTC day to another, both included, in no order. */
export async function listUsage(userUlid: string, from: string, to: string): Promise<Usage[]> {
  const range = dayRange(from, to);
  const shards = Array.from(
    { length: usageShards },
    (_, number) => keys.usage(userUlid, from, '', null, { number }).pk,
  );
  const items = (await Promise.all(shards.map((pk) => queryRange(pk, range.from, range.to)))).flat();
  const sums = new Map<string, Usage>();
  for (const item of items) {
    const part = usageRecord.parse(item);
    const name = JSON.stringify([part.date, part.metric, part.externalUserId]);
    sums.set(name, { ...part, value: part.value + (sums.get(name)?.value ?? 0) });
  }
  return [...sums.values()];
}
