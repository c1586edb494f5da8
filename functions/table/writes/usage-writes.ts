import { createHash } from 'node:crypto';
import { day, month } from '../../../shared/clock.ts';
import type { ChargedMetric } from '../../common/usage-metrics.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import type { Sum } from '../items/sums.ts';

type UsageEvent = {
  userUlid: string;
  metric: ChargedMetric;
  externalUserId: string | null;
  /** bytes for upload_bytes, milliseconds for encoding_cpu */
  amount: number;
  atMilliseconds: number;
};

/**
 * Partitions of a user's sums of days, and of those of months. A thousand jobs of one user may end in a second, each of
 * which takes two write units for either sum, and one partition takes 1,000 units a second.
 */
export const usageShards = 6;

/** How many of the partitions the sums of a metric use. Uploads end one by one. */
const shardsOfMetric: Record<ChargedMetric, number> = { encoding_cpu: usageShards, upload_bytes: 1 };

/**
 * Adds to the sum of the event's UTC day, and to that of the month over all external users, from which quotas are
 * checked. Part of the transaction of the event: a separate ADD would be repeated by a retry. Nothing for an amount
 * of 0.
 */
export function usageWrites({ userUlid, metric, externalUserId, amount, atMilliseconds }: UsageEvent): Write[] {
  if (amount <= 0) return [];
  const date = day(atMilliseconds);
  const sum: Sum = {
    keyOf: (shard) => keys.usage(userUlid, date, metric, keyPart(externalUserId), shard),
    shards: shardsOfMetric[metric],
  };
  const monthSum: Sum = {
    keyOf: (shard) => keys.usageMonth(userUlid, month(atMilliseconds), metric, shard),
    shards: shardsOfMetric[metric],
  };
  return [
    { sum, set: { kind: 'usage', userUlid, date, metric, externalUserId }, add: { value: amount } },
    { sum: monthSum, set: { kind: 'usage-month', metric }, add: { value: amount } },
  ];
}

/** A sort key has at most 1,024 bytes. The id has up to 255 characters of up to four bytes: a longer one is hashed. */
export function keyPart(externalUserId: string | null): string | null {
  if (externalUserId === null || Buffer.byteLength(externalUserId) <= 900) return externalUserId;
  return `sha256:${createHash('sha256').update(externalUserId).digest('hex')}`;
}
