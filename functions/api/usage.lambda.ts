import { usageRoutes } from '../contracts/routes/report-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { selectUser } from '../table/accounts/user-table.ts';
import { listUsage, type Usage } from '../table/statistics/usage-table.ts';

const read = route(usageRoutes.read, async ({ query, user }) => {
  const externalUserId = query.external_user_id === '' ? null : query.external_user_id;
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  const rows = (await listUsage(owner.ulid, query.from, query.to)).filter(
    (row) =>
      (query.metric === undefined || row.metric === query.metric) &&
      (externalUserId === undefined || row.externalUserId === externalUserId),
  );
  // Days that round to zero are omitted.
  return {
    data: rows
      .toSorted(byDateMetricAndUser)
      .map(serializeUsage)
      .filter(({ value }) => value > 0),
  };
});

const serializeUsage = ({ metric, externalUserId, value, date }: Usage) => ({
  metric,
  external_user_id: externalUserId,
  // CPU time is stored in milliseconds, because short jobs would round to zero seconds.
  value: metric === 'encoding_cpu' ? Math.round(value / 1000) : value,
  date,
});

const byDateMetricAndUser = (a: Usage, b: Usage): number =>
  compare(a.date, b.date) || compare(a.metric, b.metric) || compare(a.externalUserId ?? '', b.externalUserId ?? '');

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

export const handler = createApiHandler([read]);
