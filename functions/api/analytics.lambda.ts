import { eachDay, filledRange } from '../contracts/fields/date-range.ts';
import { analyticsRoutes } from '../contracts/routes/report-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { type DayMetrics, listAnalytics } from '../table/statistics/analytics-table.ts';

const emptyDay: DayMetrics = { bytes: 0, sessions: 0, completed: 0, failed: 0, cpuMs: 0 };

const read = route(analyticsRoutes.read, async ({ query }) => {
  const { from, to } = filledRange(query);
  const countsByDay = await listAnalytics(from, to);
  const days = eachDay({ from, to }).map((date) => ({ date, ...(countsByDay.get(date) ?? emptyDay) }));
  const total = (metric: keyof DayMetrics): number => days.reduce((sum, one) => sum + one[metric], 0);
  const data = {
    from,
    to,
    bandwidth: { total_bytes: total('bytes'), series: days.map(({ date, bytes }) => ({ date, bytes })) },
    sessions: { total: total('sessions'), series: days.map(({ date, sessions }) => ({ date, count: sessions })) },
    encoding: {
      videos_completed: total('completed'),
      videos_failed: total('failed'),
      cpu_seconds: Math.round(total('cpuMs') / 1000),
      series: days.map(({ date, cpuMs, completed, failed }) => ({
        date,
        cpu_seconds: Math.round(cpuMs / 1000),
        completed,
        failed,
      })),
    },
  };
  return { data };
});

export const handler = createApiHandler([read]);
