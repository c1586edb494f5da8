import { parseUlid } from '../common/ids.ts';
import {
  type DistributionName,
  type Distributions,
  distributionBuckets,
  quantile,
} from '../common/view-distributions.ts';
import { eachDay, filledRange } from '../contracts/fields/date-range.ts';
import { analyticsRoutes } from '../contracts/routes/report-routes.ts';
import { createApiHandler, recordRoute, route } from '../http/endpoint.ts';
import { selectUser } from '../table/accounts/user-table.ts';
import { type DayMetrics, listAnalytics } from '../table/statistics/analytics-table.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { listVideoDays, sumOfDays } from '../table/views/video-days.ts';
import { type ListedVideo, listMostWatched } from '../table/views/watched-videos.ts';

const emptyDay: DayMetrics = { bytes: 0, sessions: 0, views: 0, watchedMs: 0, completed: 0, failed: 0, cpuMs: 0 };

const read = route(analyticsRoutes.read, async ({ query }) => {
  const { from, to } = filledRange(query);
  const dates = eachDay({ from, to });
  const [countsByDay, top] = await Promise.all([
    listAnalytics(from, to),
    listMostWatched(dates, { order: 'views', limit: 10 }),
  ]);
  const days = dates.map((date) => ({ date, ...(countsByDay.get(date) ?? emptyDay) }));
  const total = (metric: keyof DayMetrics): number => days.reduce((sum, one) => sum + one[metric], 0);
  const data = {
    from,
    to,
    bandwidth: { total_bytes: total('bytes'), series: days.map(({ date, bytes }) => ({ date, bytes })) },
    sessions: { total: total('sessions'), series: days.map(({ date, sessions }) => ({ date, count: sessions })) },
    views: { total: total('views'), series: days.map(({ date, views }) => ({ date, count: views })) },
    watched: {
      total_seconds: wholeSeconds(total('watchedMs')),
      series: days.map(({ date, watchedMs }) => ({ date, seconds: wholeSeconds(watchedMs) })),
    },
    top_videos: { from: top.firstDay, videos: top.videos.map(serializeWatched) },
    encoding: {
      videos_completed: total('completed'),
      videos_failed: total('failed'),
      cpu_seconds: wholeSeconds(total('cpuMs')),
      series: days.map(({ date, cpuMs, completed, failed }) => ({
        date,
        cpu_seconds: wholeSeconds(cpuMs),
        completed,
        failed,
      })),
    },
  };
  return { data };
});

const wholeSeconds = (milliseconds: number): number => Math.round(milliseconds / 1000);

const serializeWatched = ({ videoUlid, name, views, watchedMilliseconds, bytes }: ListedVideo) => ({
  ulid: videoUlid,
  name,
  views,
  watched_seconds: wholeSeconds(watchedMilliseconds),
  delivered_bytes: bytes,
});

const readVideo = recordRoute(
  analyticsRoutes.video,
  async ({ params, user }) => {
    const ulid = parseUlid(params.ulid);
    const video = ulid === undefined ? undefined : await findVideo(ulid);
    return video && (video.ownerUlid === user.ulid || user.isAdmin) ? video : undefined;
  },
  async ({ query, found: { ulid, durationSeconds } }) => {
    const { from, to } = filledRange(query);
    const sums = await listVideoDays(ulid, from, to);
    const days = eachDay({ from, to }).map((date) => ({ date, ...(sums.get(date) ?? sumOfDays([])) }));
    const total = sumOfDays([...sums.values()]);
    const data = {
      from,
      to,
      views: { total: total.views, series: days.map(({ date, views }) => ({ date, count: views })) },
      watched: {
        total_seconds: wholeSeconds(total.watchedMilliseconds),
        series: days.map((one) => ({ date: one.date, seconds: wholeSeconds(one.watchedMilliseconds) })),
      },
      delivered: { total_bytes: total.bytes, series: days.map(({ date, bytes }) => ({ date, bytes })) },
      audience: { duration_seconds: durationSeconds, reached: total.reached },
      playback: {
        startup_ms: serializeDistribution('startup_ms', total.distributions),
        rebuffering_share: serializeDistribution('rebuffering_share', total.distributions),
        bitrate_kbps: serializeDistribution('bitrate_kbps', total.distributions),
        errors: serializeDistribution('errors', total.distributions),
      },
    };
    return { data };
  },
);

function serializeDistribution(name: DistributionName, { [name]: counts }: Distributions) {
  const bounds: readonly number[] = distributionBuckets[name];
  return {
    count: counts.reduce((sum, count) => sum + count, 0),
    median: quantile(name, counts, 0.5),
    p95: quantile(name, counts, 0.95),
    buckets: counts.map((count, bucket) => ({ from: bounds[bucket] ?? 0, to: bounds[bucket + 1] ?? null, count })),
  };
}

const listVideos = route(analyticsRoutes.videos, async ({ query, user }) => {
  const { from, to } = filledRange(query);
  const owner = query.user_id === undefined ? user : await selectUser(query.user_id);
  const { order, limit } = query;
  const most = await listMostWatched(eachDay({ from, to }), { ownerUlid: owner.ulid, order, limit });
  return { data: most.videos.map(serializeWatched), meta: { from: most.firstDay, to, order } };
});

export const handler = createApiHandler([read, readVideo, listVideos]);
