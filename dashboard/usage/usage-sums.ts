import type { components } from '../../client/api-types.ts';
import { type DateRange, eachDay } from './date-range.ts';

export type UsageRow = components['schemas']['UsageRecord'];
/** The metrics that a request without a choice gets. */
const metrics = ['upload_bytes', 'encoding_cpu'] as const satisfies readonly UsageRow['metric'][];
export type Metric = (typeof metrics)[number];
export type DayValue = { date: string; value: number };

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** One value for each day of a range, zeros included. */
export function dailySums(rows: readonly UsageRow[], metric: Metric, range: DateRange): DayValue[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    if (row.metric === metric) sums.set(row.date, (sums.get(row.date) ?? 0) + row.value);
  }
  return eachDay(range).map((date) => ({ date, value: sums.get(date) ?? 0 }));
}

export const totalOf = (days: readonly DayValue[]): number => sum(days.map(({ value }) => value));

/** The day with the largest value; the first of several. Undefined when all are zero. */
export const highestDay = (days: readonly DayValue[]): DayValue | undefined =>
  days.reduce<DayValue | undefined>((best, day) => (day.value > (best?.value ?? 0) ? day : best), undefined);

export type UserSums = { externalUserId: string | null } & Record<Metric, number>;

/** Sums per external user, the one with the most CPU time and uploads first. */
export function sumsByUser(rows: readonly UsageRow[]): UserSums[] {
  const users = new Map<string | null, UserSums>();
  for (const { external_user_id: externalUserId, metric: name, value } of rows) {
    const metric = metrics.find((known) => known === name);
    if (!metric) continue;
    const sums = users.get(externalUserId) ?? { externalUserId, upload_bytes: 0, encoding_cpu: 0 };
    users.set(externalUserId, { ...sums, [metric]: sums[metric] + value });
  }
  return [...users.values()].toSorted(
    (a, b) => b.encoding_cpu - a.encoding_cpu || b.upload_bytes - a.upload_bytes || compareIds(a, b),
  );
}

const compareIds = (a: UserSums, b: UserSums): number =>
  (a.externalUserId ?? '').localeCompare(b.externalUserId ?? '', 'en');
