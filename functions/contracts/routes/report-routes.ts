import * as z from 'zod';
import { usageMetrics } from '../../common/usage-metrics.ts';
import { calendarDay, inOrder } from '../fields/date-range.ts';
import { publishedAs, queryInteger, text, timestamp } from '../fields/fields.ts';
import { pageOf, pageQuery } from '../fields/paging.ts';
import type { RouteDeclaration } from '../route-declaration.ts';

const count = z.int().min(0);
const date = z.string().meta({ format: 'date' });

const activity = z
  .object({
    id: z.int(),
    log_name: z.string(),
    description: z.string(),
    event: z.string(),
    subject_type: z.string().nullable(),
    subject_id: z.int().nullable(),
    subject_ulid: z.string().nullable(),
    causer_id: z.int(),
    properties: z.record(z.string(), z.unknown()),
    created_at: timestamp,
  })
  .meta({ id: 'Activity' });

const usageRow = z
  .object({ metric: z.enum(usageMetrics), external_user_id: z.string().nullable(), value: count, date })
  .meta({ id: 'UsageRecord' });

const analytics = z
  .object({
    data: z.object({
      from: date,
      to: date,
      bandwidth: z.object({ total_bytes: count, series: z.array(z.object({ date, bytes: count })) }),
      sessions: z.object({ total: count, series: z.array(z.object({ date, count })) }),
      encoding: z.object({
        videos_completed: count,
        videos_failed: count,
        cpu_seconds: count,
        series: z.array(z.object({ date, cpu_seconds: count, completed: count, failed: count })),
      }),
    }),
  })
  .meta({ id: 'Analytics' });

export const activityRoutes = {
  list: {
    operationId: 'activityLog',
    method: 'GET',
    path: '/api/activity-log',
    tag: 'Activity, analytics, usage',
    summary: "The caller's actions",
    description:
      'Newest first, an entry for each change: profile, password (not its value), users, tokens, templates, uploads, videos, reprocess, streams, outputs, nodes, SSH keys.',
    access: 'user',
    ability: '*',
    query: pageQuery,
    status: 200,
    response: pageOf(activity),
  },
} as const satisfies Record<string, RouteDeclaration>;

export const analyticsRoutes = {
  read: {
    operationId: 'analytics',
    method: 'GET',
    path: '/api/analytics',
    tag: 'Activity, analytics, usage',
    summary: 'Bandwidth, sessions and encoding metrics',
    description:
      'Of all users. from and to default to the last 30 days; one row for each day, zeros included; at most 366 days. A video counts at most once as completed and at most once as failed, each on the day when it first reached that status, however often it is processed again. cpu_seconds is the CPU time of all attempts that workers reported, including attempts that failed, were cancelled or were superseded by another worker.',
    access: 'admin',
    ability: 'admin',
    query: inOrder(z.object({ from: calendarDay.optional(), to: calendarDay.optional() })),
    status: 200,
    response: analytics,
  },
} as const satisfies Record<string, RouteDeclaration>;

export const usageRoutes = {
  read: {
    operationId: 'usage',
    method: 'GET',
    path: '/api/usage',
    tag: 'Activity, analytics, usage',
    summary: "The caller's usage",
    description:
      'Sums per (metric, external_user_id, date), ordered by date, metric, external_user_id; at most 366 days. An empty external_user_id selects rows without one. encoding_cpu is the CPU time of work whose result was used: attempts that failed, were cancelled or were superseded are not charged to a user. Rows with the value 0 are omitted.',
    access: 'user',
    ability: 'usage:read',
    query: inOrder(
      z.object({
        from: calendarDay,
        to: calendarDay,
        metric: z.enum(usageMetrics).optional(),
        external_user_id: z
          .union([z.literal(''), text(255)])
          .optional()
          .meta(publishedAs({ type: 'string', maxLength: 255 })),
        user_id: queryInteger(1)
          .optional()
          .meta({ description: 'Administrators only: the usage of this user instead.' }),
      }),
    ),
    emptyAllowed: ['external_user_id'],
    adminFields: ['user_id'],
    status: 200,
    response: z.object({ data: z.array(usageRow) }),
  },
} as const satisfies Record<string, RouteDeclaration>;
