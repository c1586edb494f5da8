import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, test, vi } from 'vitest';
import { objectBytes, writeObject } from '../../../functions/aws/object-store.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { queryItems, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { createTemplate } from '../../../functions/table/template-table.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { deleteSource, dueSources } from '../../../functions/table/videos/source-of-video.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { timestamp } from '../../../shared/clock.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEdgeStore } from '../../fixtures/use-edge-store.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
useEdgeStore();
mockClient(SFNClient).onAnyCommand().resolves({});

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

/** A completed video whose template says this about its source. */
async function completed(source: unknown) {
  const { user } = await createPerson();
  const { video } = await storeEncodedVideo(user, { ...web, ...(source !== undefined && { retention: { source } }) });
  await writeObject(video.sourceKey, 'film', 'video/mp4');
  const dueAt = async () => (await queryItems(keys.video(video.ulid).pk, 'SOURCE'))[0]?.dueAt;
  const isStored = async () => (await objectBytes(video.sourceKey)) !== undefined;
  const current = async () => (await findVideo(video.ulid))!;
  return { user, video, dueAt, isStored, current };
}

const again = { replan: true, probe: undefined, quota: null, properties: {} };

const afterDays = (days: number): void => {
  vi.useFakeTimers({ now: Date.now() + days * 86_400_000, toFake: ['Date'] });
};

test.each([undefined, 'keep'])('with the retention %s the source stays', async (source) => {
  const { dueAt } = await completed(source);
  expect(await dueAt()).toBeUndefined();
});

test('with delete, the sweep deletes the source when the video is completed, and a repeated sweep nothing more', async () => {
  const { dueAt, isStored, current, video } = await completed('delete');
  for (let time = 0; time < 2; time++) await sweep();
  expect(await isStored()).toBe(false);
  expect(await dueAt()).toBeUndefined();
  const { sourceDeletedAt, ...kept } = await current();
  expect(sourceDeletedAt).toMatch(/^20/);
  expect(kept).toEqual(video);
});

test('days count from the completion', async () => {
  const { isStored, current, dueAt } = await completed({ days: 2 });
  await sweep();
  expect([await isStored(), (await current()).sourceDeletedAt]).toEqual([true, undefined]);
  expect(Date.parse(String(await dueAt())) - Date.now()).toBeGreaterThan(47 * 3_600_000);
  afterDays(2);
  for (let time = 0; time < 2; time++) await sweep();
  expect([await isStored(), (await current()).sourceDeletedAt === undefined]).toEqual([false, false]);
});

test('while the video is processed again or edited, the source stays and is looked at later', async () => {
  const { user, video, isStored, dueAt, current } = await completed('delete');
  await write({ update: keys.video(video.ulid), set: { editPlanNumber: 2 } });
  await sweep();
  expect(await isStored()).toBe(true);
  expect(Date.parse(String(await dueAt()))).toBeGreaterThan(Date.now());
  await write({ update: keys.video(video.ulid), remove: ['editPlanNumber'] });
  await reprocessVideo(video, again, user);
  expect(await deleteSource(video)).toBe(false);
  expect(await deleteSource(await current())).toBe(false);
});

test('a video that is completed again with a template that keeps the source keeps it', async () => {
  const { user, video, dueAt, current } = await completed({ days: 1 });
  const template = await createTemplate(user.ulid, { name: 'Keep', query: web as never });
  await write({ update: keys.video(video.ulid), set: { templateUlid: template.ulid, templateId: template.id } });
  await reprocessVideo(await current(), again, user);
  await runPipeline(video.ulid, 2);
  expect((await current()).status).toBe('completed');
  expect(await dueAt()).toBeUndefined();
});

test('video_days sets the expiry at the first completion, and not again after the owner has changed it', async () => {
  const { user } = await createPerson();
  const { video } = await storeEncodedVideo(user, { ...web, retention: { video_days: 3 } });
  const days = (Date.parse(video.expiresAt ?? '') - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
  await changeVideo(video, user, { expiresAt: null });
  await reprocessVideo((await findVideo(video.ulid))!, again, user);
  await runPipeline(video.ulid, 2);
  expect(await findVideo(video.ulid)).toMatchObject({ status: 'completed', planNumber: 2 });
  expect((await findVideo(video.ulid))?.expiresAt).toBeUndefined();
});

test('an expiry that the owner has set before the completion stays', async () => {
  const { user } = await createPerson();
  const expiresAt = timestamp(Date.now() + 3_600_000);
  const { video } = await storeEncodedVideo(user, { ...web, retention: { video_days: 3 } });
  await changeVideo(video, user, { expiresAt });
  await write({ update: keys.video(video.ulid), remove: ['firstCompletedAt'] });
  await reprocessVideo((await findVideo(video.ulid))!, again, user);
  await runPipeline(video.ulid, 2);
  expect(await findVideo(video.ulid)).toMatchObject({ status: 'completed', planNumber: 2, expiresAt });
});

test('only videos whose time has come are read', async () => {
  const [now, later] = [await completed('delete'), await completed({ days: 5 })];
  const due: string[] = [];
  for await (const page of dueSources()) due.push(...page);
  expect(due).toContain(now.video.ulid);
  expect(due).not.toContain(later.video.ulid);
});
