import * as z from 'zod';
import { usageMetrics } from '../../common/usage-metrics.ts';
import { videoOrders } from '../../common/view-distributions.ts';
import { calendarDay, inOrder } from '../fields/date-range.ts';
import { publishedAs, queryInteger, text, timestamp, ulid } from '../fields/fields.ts';
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

const watchedVideo = z
  .object({
    ulid,
    name: z.string().nullable().meta({ description: 'Null: the video is deleted.' }),
    views: count,
    watched_seconds: count,
    delivered_bytes: count,
  })
  .meta({ id: 'WatchedVideo' });

const mostWatched = z.object({
  from: date.meta({
    description: 'The first day that is counted. Later than asked for where there are too many rows.',
  }),
  videos: z.array(watchedVideo),
});

const distribution = z
  .object({
    count: count.meta({ description: 'Playbacks of which the player has told it.' }),
    median: z.number().nullable().meta({ description: 'Estimated within its bucket; null without a playback.' }),
    p95: z.number().nullable().meta({ description: '95 % of the playbacks are below; estimated like the median.' }),
    buckets: z.array(
      z.object({
        from: z.number(),
        to: z.number().nullable().meta({ description: 'Not included; null: the bucket has no end.' }),
        count,
      }),
    ),
  })
  .meta({ id: 'Distribution' });

const videoAnalytics = z
  .object({
    data: z.object({
      from: date,
      to: date,
      views: z.object({ total: count, series: z.array(z.object({ date, count })) }),
      watched: z.object({ total_seconds: count, series: z.array(z.object({ date, seconds: count })) }),
      delivered: z.object({ total_bytes: count, series: z.array(z.object({ date, bytes: count })) }),
      audience: z.object({
        duration_seconds: z.number().nullable(),
        reached: z
          .array(count)
          .length(100)
          .meta({ description: 'For the middle of each hundredth of the video: how many playbacks have loaded it.' }),
      }),
      playback: z.object({
        startup_ms: distribution,
        rebuffering_share: distribution,
        bitrate_kbps: distribution,
        errors: distribution,
      }),
    }),
  })
  .meta({ id: 'VideoAnalytics' });

const analytics = z
  .object({
    data: z.object({
      from: date,
      to: date,
      bandwidth: z.object({ total_bytes: count, series: z.array(z.object({ date, bytes: count })) }),
      sessions: z.object({ total: count, series: z.array(z.object({ date, count })) }),
      views: z.object({ total: count, series: z.array(z.object({ date, count })) }),
      watched: z.object({ total_seconds: count, series: z.array(z.object({ date, seconds: count })) }),
      top_videos: mostWatched.meta({
        description:
          'The ten videos with the most views of all users, of as many of the last days as 50,000 rows have.',
      }),
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
  video: {
    operationId: 'videoAnalytics',
    method: 'GET',
    path: '/api/videos/{ulid}/analytics',
    tag: 'Activity, analytics, usage',
    summary: 'Views, watch time and playback quality of a video',
    description:
      'Owner or administrator; others get 404. from and to default to the last 30 days; one row for each day, zeros included; at most 366 days. From the access logs, some minutes after the delivery. A view is a playback that has loaded a part of the picture or sound. Watched seconds are the positions of the video that a playback has loaded, each once. playback is what players tell by CMCD; docs/analytics.md has the definitions.',
    access: 'user',
    ability: 'usage:read',
    query: inOrder(z.object({ from: calendarDay.optional(), to: calendarDay.optional() })),
    status: 200,
    response: videoAnalytics,
    errors: ['not_found'],
  },
  videos: {
    operationId: 'mostWatchedVideos',
    method: 'GET',
    path: '/api/analytics/videos',
    tag: 'Activity, analytics, usage',
    summary: "The caller's most watched videos",
    description:
      'Most first, by views, watched seconds or delivered bytes; videos without any are left out. from and to default to the last 30 days; at most 366 days. A request reads at most about 50,000 rows, one for each video and day: with more of them the first days are left out, and from in the response is the first day that is counted.',
    access: 'user',
    ability: 'usage:read',
    query: inOrder(
      z.object({
        from: calendarDay.optional(),
        to: calendarDay.optional(),
        order: z.enum(videoOrders).default('views'),
        limit: queryInteger(1, 100).default(20),
        user_id: queryInteger(1)
          .optional()
          .meta({ description: 'Administrators only: the videos of this user instead.' }),
      }),
    ),
    adminFields: ['user_id'],
    status: 200,
    response: z.object({
      data: z.array(watchedVideo),
      meta: z.object({ from: date, to: date, order: z.enum(videoOrders) }),
    }),
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
      'Sums per (metric, external_user_id, date), ordered by date, metric, external_user_id; at most 366 days. An empty external_user_id selects rows without one. encoding_cpu is the CPU time of work whose result was used: attempts that failed, were cancelled or were superseded are not charged to a user. stored_bytes is the largest amount of the day. delivered_bytes, views and watched_seconds are counted from the access logs, some minutes after the delivery. Rows with the value 0 are omitted.',
    access: 'user',
    ability: 'usage:read',
    query: inOrder(
      z.object({
        from: calendarDay,
        to: calendarDay,
        metric: z
          .enum([...usageMetrics, '*'])
          .optional()
          .meta({ description: '* selects all. Without it the response has upload_bytes and encoding_cpu.' }),
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
