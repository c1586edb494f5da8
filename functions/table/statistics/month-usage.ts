import * as z from 'zod';
import { month } from '../../../shared/clock.ts';
import { type ChargedMetric, chargedMetrics } from '../../common/usage-metrics.ts';
import { queryItems } from '../items/items.ts';
import { keys, usageMonthPrefix } from '../items/keys.ts';
import { usageShards } from '../writes/usage-writes.ts';

const monthRecord = z.object({ metric: z.enum(chargedMetrics), value: z.number() });

/** What a user has used in the present UTC month. */
export async function readMonthUsage(userUlid: string): Promise<{ uploadBytes: number; cpuMilliseconds: number }> {
  const present = month();
  const shards = Array.from(
    { length: usageShards },
    (_, number) => keys.usageMonth(userUlid, present, '', { number }).pk,
  );
  const items = (await Promise.all(shards.map((pk) => queryItems(pk, usageMonthPrefix(present))))).flat();
  const rows = items.map((item) => monthRecord.parse(item));
  const sum = (wanted: ChargedMetric): number =>
    rows.reduce((total, { metric, value }) => total + (metric === wanted ? value : 0), 0);
  return { uploadBytes: sum('upload_bytes'), cpuMilliseconds: sum('encoding_cpu') };
}
