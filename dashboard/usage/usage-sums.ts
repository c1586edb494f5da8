import type { components } from '../../client/api-types.ts';
import { type DateRange, eachDay } from './date-range.ts';

export type UsageRow = components['schemas']['UsageRecord'];
export type Metric = UsageRow['metric'];
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

/** What is stored is a level: of several days, the highest counts. */
export const isLevel = (metric: Metric): boolean => metric === 'stored_bytes';

/** Sums per external user, the one with the most CPU time, uploads and views first. */
export function sumsByUser(rows: readonly UsageRow[]): UserSums[] {
  const users = new Map<string | null, UserSums>();
  for (const { external_user_id: externalUserId, metric, value } of rows) {
    const sums = users.get(externalUserId) ?? { externalUserId, ...noUsage };
    users.set(externalUserId, {
      ...sums,
      [metric]: isLevel(metric) ? Math.max(sums[metric], value) : sums[metric] + value,
    });
  }
  return [...users.values()].toSorted(
    (a, b) =>
      b.encoding_cpu - a.encoding_cpu || b.upload_bytes - a.upload_bytes || b.views - a.views || compareIds(a, b),
  );
}

const noUsage: Record<Metric, number> = {
  upload_bytes: 0,
  encoding_cpu: 0,
  stored_bytes: 0,
  delivered_bytes: 0,
  views: 0,
  watched_seconds: 0,
};

const compareIds = (a: UserSums, b: UserSums): number =>
  (a.externalUserId ?? '').localeCompare(b.externalUserId ?? '', 'en');
