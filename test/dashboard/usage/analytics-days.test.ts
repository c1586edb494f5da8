import { expect, test } from 'vitest';
import { type Analytics, analyticsDays, analyticsRows } from '../../../dashboard/usage/analytics-days.ts';
import { loadRanges } from '../../../dashboard/usage/load-ranges.ts';

const part = (date: string, value: number): Analytics => ({
  from: date,
  to: date,
  bandwidth: { total_bytes: value, series: [{ date, bytes: value }] },
  sessions: { total: value, series: [{ date, count: value + 1 }] },
  views: { total: value, series: [{ date, count: value + 5 }] },
  watched: { total_seconds: value, series: [{ date, seconds: value + 6 }] },
  top_videos: { from: date, videos: [] },
  encoding: {
    videos_completed: 1,
    videos_failed: 0,
    cpu_seconds: 9,
    series: [{ date, cpu_seconds: value + 2, completed: value + 3, failed: value + 4 }],
  },
});

test('the parts of a range become one list of days, and a CSV with a header', () => {
  const days = analyticsDays([part('2025-12-31', 10), part('2026-01-01', 20)]);
  expect(days).toEqual([
    {
      date: '2025-12-31',
      bytes: 10,
      sessions: 11,
      cpuSeconds: 12,
      completed: 13,
      failed: 14,
      views: 15,
      watchedSeconds: 16,
    },
    {
      date: '2026-01-01',
      bytes: 20,
      sessions: 21,
      cpuSeconds: 22,
      completed: 23,
      failed: 24,
      views: 25,
      watchedSeconds: 26,
    },
  ]);
  expect(analyticsRows(days)).toEqual([
    ['date', 'bytes', 'sessions', 'videos_completed', 'videos_failed', 'cpu_seconds', 'views', 'watched_seconds'],
    ['2025-12-31', 10, 11, 13, 14, 12, 15, 16],
    ['2026-01-01', 20, 21, 23, 24, 22, 25, 26],
  ]);
});

test('all parts are loaded, in order, and the result has no ETag', async () => {
  const parts = ['2024-01-01', '2025-01-01'].map((day) => ({ from: day, to: day }));
  const { data, response } = await loadRanges(parts, async ({ from }) => ({
    data: from,
    response: new Response(null, { headers: { etag: '"1"' } }),
  }));
  expect(data).toEqual(['2024-01-01', '2025-01-01']);
  expect(response.headers.get('etag')).toBeNull();
});
