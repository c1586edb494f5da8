import { expect, test } from 'vitest';
import { dailySums, highestDay, sumsByUser, totalOf, type UsageRow } from '../../../dashboard/usage/usage-sums.ts';

const row = (date: string, metric: UsageRow['metric'], external_user_id: string | null, value: number): UsageRow => ({
  date,
  metric,
  external_user_id,
  value,
});
const rows = [
  row('2026-11-01', 'upload_bytes', null, 100),
  row('2026-11-01', 'upload_bytes', 'ada', 20),
  row('2026-11-03', 'upload_bytes', 'ada', 120),
  row('2026-11-03', 'encoding_cpu', 'bo', 7),
];
const range = { from: '2026-11-01', to: '2026-11-03' };

test('a day is the sum of all external users, and days without rows are zero', () => {
  const days = dailySums(rows, 'upload_bytes', range);
  expect(days).toEqual([
    { date: '2026-11-01', value: 120 },
    { date: '2026-11-02', value: 0 },
    { date: '2026-11-03', value: 120 },
  ]);
  expect(totalOf(days)).toBe(240);
  expect(highestDay(days)).toEqual({ date: '2026-11-01', value: 120 });
});

test('without rows there is no highest day', () => {
  expect(highestDay(dailySums([], 'encoding_cpu', range))).toBeUndefined();
});

const none = {
  upload_bytes: 0,
  encoding_cpu: 0,
  stored_bytes: 0,
  delivered_bytes: 0,
  views: 0,
  watched_seconds: 0,
};

test('sums per external user have one row for uploads without one, and the most work first', () => {
  expect(sumsByUser(rows)).toEqual([
    { ...none, externalUserId: 'bo', encoding_cpu: 7 },
    { ...none, externalUserId: 'ada', upload_bytes: 140 },
    { ...none, externalUserId: null, upload_bytes: 100 },
  ]);
});

test('what is stored is not added up over days, what viewers watch is', () => {
  const of = (metric: UsageRow['metric']) => [row('2026-11-01', metric, 'ada', 5), row('2026-11-02', metric, 'ada', 3)];
  const [sums] = sumsByUser([...of('stored_bytes'), ...of('views'), ...of('watched_seconds')]);
  expect(sums).toEqual({ ...none, externalUserId: 'ada', stored_bytes: 5, views: 8, watched_seconds: 8 });
});
