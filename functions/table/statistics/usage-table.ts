import { createHash } from 'node:crypto';
import * as z from 'zod';
import { day } from '../../../shared/clock.ts';
import { type UsageMetric, usageMetrics } from '../../common/usage-metrics.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';

/** A day's sum: bytes for upload_bytes, milliseconds for encoding_cpu. `date` is a UTC day. */
const usageRecord = z.object({
  metric: z.enum(usageMetrics),
  date: z.string(),
  externalUserId: z.string().nullable(),
  value: z.number(),
});
export type Usage = z.infer<typeof usageRecord>;

type UsageEvent = {
  userUlid: string;
  metric: UsageMetric;
  externalUserId: string | null;
  /** bytes for upload_bytes, milliseconds for encoding_cpu */
  amount: number;
  atMilliseconds: number;
};

/** Adds to the sum of the event's UTC day. Belongs in the transaction of what it counts: an ADD of its own would be repeated with a retry. */
export function usageWrite({ userUlid, metric, externalUserId, amount, atMilliseconds }: UsageEvent): Write {
  const date = day(atMilliseconds);
  return {
    update: keys.usage(userUlid, date, metric, keyPart(externalUserId)),
    set: { kind: 'usage', userUlid, date, metric, externalUserId },
    add: { value: amount },
  };
}

/** The same for what may be nothing, which is no row. */
export const usageWrites = (event: UsageEvent): Write[] => (event.amount > 0 ? [usageWrite(event)] : []);

/** The sums of a user between two UTC days, both included, by date. */
export async function listUsage(userUlid: string, from: string, to: string): Promise<Usage[]> {
  const { pk } = keys.usage(userUlid, from, '', null);
  // `$` follows `#`, so that all rows of the last day are below it.
  const items = await queryRange(pk, `${from}#`, `${to}$`);
  return items.map((item) => usageRecord.parse(item));
}

/** 255 characters of four bytes each would pass the 1,024 bytes that a sort key may have. */
function keyPart(externalUserId: string | null): string | null {
  if (externalUserId === null || Buffer.byteLength(externalUserId) <= 900) return externalUserId;
  return `sha256:${createHash('sha256').update(externalUserId).digest('hex')}`;
}
