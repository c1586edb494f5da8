import { createHash } from 'node:crypto';
import { day } from '../../../shared/clock.ts';
import type { UsageMetric } from '../../common/usage-metrics.ts';
import type { Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

type UsageEvent = {
  userUlid: string;
  metric: UsageMetric;
  externalUserId: string | null;
  /** bytes for upload_bytes, milliseconds for encoding_cpu */
  amount: number;
  atMilliseconds: number;
};

/**
 * Adds to the sum of the event's UTC day. Part of the transaction of the event: a separate ADD would be repeated by a
 * retry.
 */
export function usageWrite({ userUlid, metric, externalUserId, amount, atMilliseconds }: UsageEvent): Write {
  const date = day(atMilliseconds);
  return {
    update: keys.usage(userUlid, date, metric, keyPart(externalUserId)),
    set: { kind: 'usage', userUlid, date, metric, externalUserId },
    add: { value: amount },
  };
}

/** The same, and nothing for an amount of 0. */
export const usageWrites = (event: UsageEvent): Write[] => (event.amount > 0 ? [usageWrite(event)] : []);

/** A sort key has at most 1,024 bytes. The id has up to 255 characters of up to four bytes: a longer one is hashed. */
function keyPart(externalUserId: string | null): string | null {
  if (externalUserId === null || Buffer.byteLength(externalUserId) <= 900) return externalUserId;
  return `sha256:${createHash('sha256').update(externalUserId).digest('hex')}`;
}
