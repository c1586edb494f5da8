import * as z from 'zod';
import { month } from '../../../shared/clock.ts';
import { usageMetrics } from '../../common/usage-metrics.ts';
import { queryItems } from '../items/items.ts';
import { keys, usageMonthPrefix } from '../items/keys.ts';

const monthRecord = z.object({ metric: z.enum(usageMetrics), value: z.number() });

/** What a user has used in the present UTC month. */
export async function readMonthUsage(userUlid: string): Promise<{ uploadBytes: number; cpuMilliseconds: number }> {
  const { pk } = keys.usageMonth(userUlid, month(), '', { number: 0 });
  const rows = (await queryItems(pk, usageMonthPrefix(month()))).map((item) => monthRecord.parse(item));
  const sum = (wanted: (typeof usageMetrics)[number]): number =>
    rows.reduce((total, { metric, value }) => total + (metric === wanted ? value : 0), 0);
  return { uploadBytes: sum('upload_bytes'), cpuMilliseconds: sum('encoding_cpu') };
}
