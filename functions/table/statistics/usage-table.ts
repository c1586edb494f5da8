import * as z from 'zod';
import { chargedMetrics, type UsageMetric } from '../../common/usage-metrics.ts';
import type { Item } from '../items/items.ts';
import { dayRange, keys } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import { usageShards } from '../writes/usage-writes.ts';
import { viewingShards } from '../writes/view-writes.ts';

/** A day's sum: bytes, milliseconds for encoding_cpu and watched_seconds, or a number. `date` is a UTC day. */
export type Usage = { metric: UsageMetric; date: string; externalUserId: string | null; value: number };

const chargedRecord = z.object({
  metric: z.enum(chargedMetrics),
  date: z.string(),
  externalUserId: z.string().nullable(),
  value: z.number(),
});

const viewingRecord = z.object({
  date: z.string(),
  externalUserId: z.string().nullable(),
  bytes: z.number().default(0),
  views: z.number().default(0),
  watchedMilliseconds: z.number().default(0),
});

/**
 * A user's sums of the days from one UTC day to another, both included, in no order, but for the bytes that the user
 * stores, which are no sum.
 */
export async function listUsage(userUlid: string, from: string, to: string): Promise<Usage[]> {
  const range = dayRange(from, to);
  const shards = Array.from(
    { length: Math.max(usageShards, viewingShards) },
    (_, number) => keys.usage(userUlid, from, '', null, { number }).pk,
  );
  const items = (await Promise.all(shards.map((pk) => queryRange(pk, range.from, range.to)))).flat();
  const sums = new Map<string, Usage>();
  for (const part of items.flatMap(usageOf)) {
    const name = JSON.stringify([part.date, part.metric, part.externalUserId]);
    sums.set(name, { ...part, value: part.value + (sums.get(name)?.value ?? 0) });
  }
  return [...sums.values()];
}

function usageOf(item: Item): Usage[] {
  if (item.kind !== 'viewing') return [chargedRecord.parse(item)];
  const { date, externalUserId, bytes, views, watchedMilliseconds } = viewingRecord.parse(item);
  return [
    { metric: 'delivered_bytes', date, externalUserId, value: bytes },
    { metric: 'views', date, externalUserId, value: views },
    { metric: 'watched_seconds', date, externalUserId, value: watchedMilliseconds },
  ];
}
