import { pageMeta, pageOffset } from '../contracts/fields/paging.ts';
import { activityRoutes } from '../contracts/routes/report-routes.ts';
import { createApiHandler, route } from '../http/endpoint.ts';
import { listActivity } from '../table/accounts/activity-table.ts';

const list = route(activityRoutes.list, async ({ query, user }) => {
  const { total, lines } = await listActivity(user.ulid, { offset: pageOffset(query), limit: query.per_page });
  const data = lines.map(({ position, logName, description, event, subject, properties, createdAt }) => ({
    id: position,
    log_name: logName,
    description,
    event,
    subject_type: subject?.type ?? null,
    subject_id: subject?.id ?? null,
    subject_ulid: subject?.ulid ?? null,
    causer_id: user.id,
    properties,
    created_at: createdAt,
  }));
  return { data, meta: pageMeta(query, total) };
});

export const handler = createApiHandler([list]);
