import { chargedMetrics, type UsageMetric, usageMetrics } from '../common/usage-metrics.ts';
import { eachDay } from '../contracts/fields/date-range.ts';
import { usageRoutes } from '../contracts/routes/report-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { selectUser } from '../table/accounts/user-table.ts';
import { listUsage, type Usage } from '../table/statistics/usage-table.ts';
import { listStored } from '../table/views/stored-bytes.ts';

const read = route(usageRoutes.read, async ({ query, user }) => {
  const externalUserId = query.external_user_id === '' ? null : query.external_user_id;
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  const metrics = metricsOf(query.metric);
  const [sums, stored] = await Promise.all([
    listUsage(owner.ulid, query.from, query.to),
    metrics.includes('stored_bytes') ? listStored(owner.ulid, eachDay(query)) : [],
  ]);
  const rows = [...sums, ...stored].filter(
    (row) => metrics.includes(row.metric) && (externalUserId === undefined || row.externalUserId === externalUserId),
  );
  // Days that round to zero are omitted.
  return {
    data: rows
      .toSorted(byDateMetricAndUser)
      .map(serializeUsage)
      .filter(({ value }) => value > 0),
  };
});

function metricsOf(asked: UsageMetric | '*' | undefined): readonly UsageMetric[] {
  if (asked === '*') return usageMetrics;
  return asked === undefined ? chargedMetrics : [asked];
}

const inMilliseconds: readonly UsageMetric[] = ['encoding_cpu', 'watched_seconds'];

const serializeUsage = ({ metric, externalUserId, value, date }: Usage) => ({
  metric,
  external_user_id: externalUserId,
  // Times are stored in milliseconds, because short jobs would round to zero seconds.
  value: inMilliseconds.includes(metric) ? Math.round(value / 1000) : value,
  date,
});

const byDateMetricAndUser = (a: Usage, b: Usage): number =>
  compare(a.date, b.date) || compare(a.metric, b.metric) || compare(a.externalUserId ?? '', b.externalUserId ?? '');

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

export const handler = createApiHandler([read]);
