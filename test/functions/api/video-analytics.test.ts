import { expect, test } from 'vitest';
import { handler } from '../../../functions/api/analytics.lambda.ts';
import { handler as usage } from '../../../functions/api/usage.lambda.ts';
import { bucketField, positionField, type ViewCounts } from '../../../functions/common/view-counts.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { User } from '../../../functions/table/records.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { viewWrites } from '../../../functions/table/writes/view-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const range = 'from=2026-11-20&to=2026-11-22';

async function watchedVideo(user: User, days: Record<string, ViewCounts>, externalUserId: string | null = null) {
  const { video } = await storeVideo(user, { durationSeconds: 600, externalUserId });
  for (const [date, added] of Object.entries(days)) {
    await transact(
      viewWrites({ ulid: video.ulid, ownerUlid: user.ulid, externalUserId, durationSeconds: 600 }, date, added),
    );
  }
  return video;
}

test('a video has its views, watch time, audience and playback quality by day, zeros included', async () => {
  const { user, token } = await createPerson();
  const video = await watchedVideo(user, {
    '2026-11-19': { views: 50 },
    '2026-11-20': {
      bytes: 1000,
      views: 2,
      watchedMilliseconds: 12_400,
      [positionField(0)]: 2,
      [positionField(99)]: 1,
      [bucketField('startup_ms', 1)]: 2,
    },
    '2026-11-22': {
      bytes: 24,
      views: 1,
      watchedMilliseconds: 600,
      [positionField(0)]: 1,
      [bucketField('startup_ms', 1)]: -1,
      [bucketField('startup_ms', 9)]: 1,
    },
  });
  const { status, json } = await callHandler(handler, `GET /api/videos/${video.ulid}/analytics?${range}`, { token });
  expect(status).toBe(200);
  const { audience, playback, ...sums } = json.data;
  expect(sums).toEqual({
    from: '2026-11-20',
    to: '2026-11-22',
    views: {
      total: 3,
      series: [
        { date: '2026-11-20', count: 2 },
        { date: '2026-11-21', count: 0 },
        { date: '2026-11-22', count: 1 },
      ],
    },
    watched: {
      total_seconds: 13,
      series: [
        { date: '2026-11-20', seconds: 12 },
        { date: '2026-11-21', seconds: 0 },
        { date: '2026-11-22', seconds: 1 },
      ],
    },
    delivered: {
      total_bytes: 1024,
      series: [
        { date: '2026-11-20', bytes: 1000 },
        { date: '2026-11-21', bytes: 0 },
        { date: '2026-11-22', bytes: 24 },
      ],
    },
  });
  expect(audience.duration_seconds).toBe(600);
  expect([audience.reached.length, audience.reached[0], audience.reached[1], audience.reached[99]]).toEqual([
    100, 3, 0, 1,
  ]);
  expect(playback.startup_ms).toMatchObject({ count: 2, median: 500, p95: 30_000 });
  expect(playback.startup_ms.buckets[1]).toEqual({ from: 250, to: 500, count: 1 });
  expect(playback.startup_ms.buckets.at(-1)).toEqual({ from: 30_000, to: null, count: 1 });
  expect(playback.errors).toMatchObject({ count: 0, median: null, p95: null });
});

test("a video of another user is not found, but administrators see every user's", async () => {
  const [owner, other, admin] = [await createPerson(), await createPerson(), await createPerson({ isAdmin: true })];
  const video = await watchedVideo(owner.user, { '2026-11-20': { views: 4 } });
  const path = `GET /api/videos/${video.ulid}/analytics?${range}` as const;
  expect(await callHandler(handler, path, { token: other.token })).toMatchObject({ status: 404 });
  const shown = await callHandler(handler, path, { token: admin.token });
  expect(shown.json.data.views.total).toBe(4);
  const list = `GET /api/analytics/videos?${range}&user_id=${owner.user.id}` as const;
  expect((await callHandler(handler, list, { token: admin.token })).json.data).toHaveLength(1);
  expect(await callHandler(handler, list, { token: other.token })).toMatchObject({ status: 403 });
});

test("the caller's videos are listed by views, watch time or bytes, and those that nobody watched are left out", async () => {
  const { user, token } = await createPerson();
  const other = await createPerson();
  await watchedVideo(other.user, { '2026-11-20': { views: 1000 } });
  await watchedVideo(user, {});
  await watchedVideo(user, { '2026-11-19': { views: 7 } });
  const often = await watchedVideo(user, {
    '2026-11-20': { views: 2, bytes: 10 },
    '2026-11-22': { views: 3, bytes: 1 },
  });
  const long = await watchedVideo(user, { '2026-11-21': { views: 1, watchedMilliseconds: 90_000, bytes: 11 } });
  const large = await watchedVideo(user, { '2026-11-21': { views: 1, bytes: 5000 } });
  const listed = async (query: string) =>
    (await callHandler(handler, `GET /api/analytics/videos?${range}${query}`, { token })).json;
  expect(await listed('')).toEqual({
    data: [
      { ulid: often.ulid, name: often.name, views: 5, watched_seconds: 0, delivered_bytes: 11 },
      ...[long, large]
        .map(({ ulid, name }) => ({
          ulid,
          name,
          views: 1,
          watched_seconds: ulid === long.ulid ? 90 : 0,
          delivered_bytes: ulid === long.ulid ? 11 : 5000,
        }))
        .sort((a, b) => (a.ulid < b.ulid ? -1 : 1)),
    ],
    meta: { from: '2026-11-20', to: '2026-11-22', order: 'views' },
  });
  const first = async (query: string) => (await listed(query)).data.map(({ ulid }: { ulid: string }) => ulid)[0];
  expect([await first('&order=watched'), await first('&order=bytes')]).toEqual([long.ulid, large.ulid]);
  expect((await listed('&limit=1')).data).toHaveLength(1);
  await hideVideo(often, user);
  expect((await listed('&limit=1')).data[0]).toMatchObject({ ulid: often.ulid, name: null, views: 5 });
});

test.each(['order=name', 'limit=0', 'limit=101', 'from=2026-02-30', 'from=2026-11-02&to=2026-11-01'])(
  '%s is 422',
  async (query) => {
    const { token } = await createPerson();
    expect(await callHandler(handler, `GET /api/analytics/videos?${query}`, { token })).toMatchObject({ status: 422 });
  },
);

test('usage has what viewers cause where it is asked for, by external user and day', async () => {
  const { user, token } = await createPerson();
  await watchedVideo(user, { '2026-11-20': { bytes: 10, views: 1, watchedMilliseconds: 2600 } }, 'crm-1');
  await watchedVideo(user, { '2026-11-20': { bytes: 5, views: 2 } }, 'crm-1');
  await watchedVideo(user, { '2026-11-21': { bytes: 1 } });
  const rows = async (query: string) =>
    (await callHandler(usage, `GET /api/usage?${range}${query}`, { token })).json.data.map(
      (row: { metric: string; external_user_id: string | null; value: number; date: string }) =>
        [row.date, row.metric, row.external_user_id, row.value].join(' '),
    );
  expect(await rows('')).toEqual([]);
  expect(await rows('&metric=*')).toEqual([
    '2026-11-20 delivered_bytes crm-1 15',
    '2026-11-20 views crm-1 3',
    '2026-11-20 watched_seconds crm-1 3',
    '2026-11-21 delivered_bytes  1',
  ]);
  expect(await rows('&metric=watched_seconds')).toEqual(['2026-11-20 watched_seconds crm-1 3']);
  expect(await rows('&metric=delivered_bytes&external_user_id=')).toEqual(['2026-11-21 delivered_bytes  1']);
});
