import * as z from 'zod';
import { day } from '../../../shared/clock.ts';
import { queryItems } from '../items/items.ts';
import { dayRange, keys, storedDayPrefix, storedTotalPrefix } from '../items/keys.ts';
import { queryRange } from '../items/ranges.ts';
import type { Usage } from '../statistics/usage-table.ts';

/** What a user stores for one external user, or for none. */
export const storedTotalRecord = z.object({
  externalUserId: z.string().nullable(),
  bytes: z.number(),
  version: z.int(),
});

/** A day on which it changed: what it was before the first change, and the largest amount. */
export const changedDayRecord = z.object({
  externalUserId: z.string().nullable(),
  date: z.string(),
  opening: z.number(),
  largest: z.number(),
});

/**
 * The largest amount that a user stored on each of these UTC days, for each external user. Only changes are recorded: a
 * day without one had the amount of the day before.
 */
export async function listStored(userUlid: string, days: readonly string[]): Promise<Usage[]> {
  const present = day();
  const { pk } = keys.storedTotal(userUlid, null);
  const { from, to } = dayRange(days[0] ?? present, present);
  const [totals, changes] = await Promise.all([
    queryItems(pk, storedTotalPrefix),
    // Also the later ones, of which the first says what the amount was before.
    queryRange(pk, `${storedDayPrefix}${from}`, `${storedDayPrefix}${to}`),
  ]);
  const changed = Map.groupBy(
    changes.map((item) => changedDayRecord.parse(item)),
    ({ externalUserId }) => externalUserId,
  );
  return totals.flatMap((item) => {
    const { externalUserId, bytes } = storedTotalRecord.parse(item);
    const rows = changed.get(externalUserId) ?? [];
    return days
      .filter((date) => date <= present)
      .map((date): Usage => {
        const next = rows.find((row) => row.date >= date);
        const value = next === undefined ? bytes : next.date === date ? next.largest : next.opening;
        return { metric: 'stored_bytes', date, externalUserId, value };
      });
  });
}
