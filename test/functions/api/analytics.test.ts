import { afterEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/api/analytics.lambda.ts';
import { transact } from '../../../functions/table/items/items.ts';
import { analyticsWrites } from '../../../functions/table/writes/analytics-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
afterEach(() => vi.useRealTimers());

test('values are summed by day, and empty days are zero', async () => {
  const { token } = await createPerson({ isAdmin: true });
  await transact(analyticsWrites('2026-11-01', { bytes: 1000, sessions: 2, views: 3, watchedMs: 62_600 }));
  await transact(analyticsWrites('2026-11-01', { bytes: 24 }));
  await transact(analyticsWrites('2026-11-02', { completed: 1, cpuMs: 341_499 }));
  const answer = await callHandler(handler, 'GET /api/analytics?from=2026-11-01&to=2026-11-03', { token });
  expect(answer.json.data).toEqual({
    from: '2026-11-01',
    to: '2026-11-03',
    bandwidth: {
      total_bytes: 1024,
      series: [
        { date: '2026-11-01', bytes: 1024 },
        { date: '2026-11-02', bytes: 0 },
        { date: '2026-11-03', bytes: 0 },
      ],
    },
    sessions: {
      total: 2,
      series: [
        { date: '2026-11-01', count: 2 },
        { date: '2026-11-02', count: 0 },
        { date: '2026-11-03', count: 0 },
      ],
    },
    views: {
      total: 3,
      series: [
        { date: '2026-11-01', count: 3 },
        { date: '2026-11-02', count: 0 },
        { date: '2026-11-03', count: 0 },
      ],
    },
    watched: {
      total_seconds: 63,
      series: [
        { date: '2026-11-01', seconds: 63 },
        { date: '2026-11-02', seconds: 0 },
        { date: '2026-11-03', seconds: 0 },
      ],
    },
    top_videos: { from: '2026-11-01', videos: [] },
    encoding: {
      videos_completed: 1,
      videos_failed: 0,
      cpu_seconds: 341,
      series: [
        { date: '2026-11-01', cpu_seconds: 0, completed: 0, failed: 0 },
        { date: '2026-11-02', cpu_seconds: 341, completed: 1, failed: 0 },
        { date: '2026-11-03', cpu_seconds: 0, completed: 0, failed: 0 },
      ],
    },
  });
});

test('the default range is the last 30 days', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-10T12:00:00Z') });
  const { token } = await createPerson({ isAdmin: true });
  const { data } = (await callHandler(handler, 'GET /api/analytics', { token })).json;
  expect([data.from, data.to, data.sessions.series.length]).toEqual(['2026-02-09', '2026-03-10', 30]);
});

test.each(['from=2026-02-30', 'from=2026-11-02&to=2026-11-01', 'from=2020-01-01&to=2026-11-01'])(
  '%s is 422',
  async (query) => {
    const { token } = await createPerson({ isAdmin: true });
    expect(await callHandler(handler, `GET /api/analytics?${query}`, { token })).toMatchObject({ status: 422 });
  },
);

test('only administrators have access', async () => {
  const { token } = await createPerson();
  expect(await callHandler(handler, 'GET /api/analytics?from=x', { token })).toMatchObject({ status: 403 });
  expect(await callHandler(handler, 'HEAD /api/analytics', { token })).toMatchObject({ status: 403 });
  expect(await callHandler(handler, 'GET /api/analytics')).toMatchObject({ status: 401 });
});
