import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler as videos } from '../../../../functions/api/videos.lambda.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { handler as fail } from '../../../../functions/pipeline/fail.lambda.ts';
import { handler as plan } from '../../../../functions/pipeline/plan.lambda.ts';
import { write } from '../../../../functions/table/items/items.ts';
import { keys } from '../../../../functions/table/items/keys.ts';
import type { User, Video } from '../../../../functions/table/records.ts';
import { createTemplate, findAnyTemplate, updateTemplate } from '../../../../functions/table/template-table.ts';
import { isOfOtherQuery } from '../../../../functions/table/videos/reprocess-video.ts';
import { findVideo, findWholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../../fixtures/call-handler.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import {
  encodeAll,
  endPipeline,
  runPipeline,
  storeEncodedVideo,
} from '../../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../../fixtures/use-empty-pool.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(SFNClient);

const queryOf = (height: number) => ({
  version: 1,
  video: [{ name: `v${height}`, codec: 'h264', height, bitrate: '800k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
});
const executionArn = 'arn:test:execution:again';

let user: User;
let token: string;
let video: Video;
beforeEach(async () => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  ({ user, token } = await createPerson());
  ({ video } = await storeEncodedVideo(user, queryOf(720)));
});

const reprocess = async (body = {}): Promise<void> => {
  const answer = await callHandler(videos, `POST /api/videos/${video.ulid}/reprocess`, { token, body });
  expect(answer).toMatchObject({ status: 202 });
};
const changeQuery = async (height: number): Promise<void> => {
  await updateTemplate((await findAnyTemplate(video.templateUlid))!, { query: queryOf(height) as never }, user);
};
const claim = (planNumber: number, arn = executionArn) =>
  createVideo({ event: { videoUlid: video.ulid, planNumber }, executionArn: arn });
const current = async () => (await findVideo(video.ulid))!;
const madeStreams = async (): Promise<string[]> =>
  (await findWholeVideo(video.ulid))!.streams.filter(({ type }) => type === 'video').map(({ name }) => name);

test('a video whose template stays the same is processed again under its plan', async () => {
  await reprocess();
  expect(await claim(1)).toEqual({ decision: 'process', videoUlid: video.ulid, planNumber: 1 });
  expect(await current()).toMatchObject({
    status: 'downloading',
    planNumber: 1,
    lastPlanNumber: 1,
    query: queryOf(720),
  });
});

test('a template that changes while the video waits to be processed again is what it is encoded with', async () => {
  await reprocess();
  await changeQuery(360);
  const claimed = { decision: 'process', videoUlid: video.ulid, planNumber: 2 };
  expect(await claim(1)).toEqual(claimed);
  // The process may have died before it answered.
  expect(await claim(1)).toEqual(claimed);
  expect(await claim(1, 'arn:test:execution:other')).toEqual({ decision: 'ignored' });
  expect(await current()).toMatchObject({
    status: 'downloading',
    planNumber: 2,
    lastPlanNumber: 2,
    query: queryOf(360),
  });

  const event = { videoUlid: video.ulid, planNumber: 2 };
  const { outputs } = await plan(event);
  expect(await madeStreams()).toEqual(['v720', 'v360']);
  await encodeAll(video.ulid, 2);
  await endPipeline(event, outputs);
  expect(await current()).toMatchObject({ status: 'completed' });
  expect(await madeStreams()).toEqual(['v360']);
});

test('so is another template that the video gets in this time', async () => {
  await reprocess();
  const other = await createTemplate(user.ulid, { name: 'Other', query: queryOf(480) as never });
  const body = { template_id: other.id };
  expect(await callHandler(videos, `PUT /api/videos/${video.ulid}`, { token, body })).toMatchObject({ status: 200 });
  expect(await claim(1)).toMatchObject({ decision: 'process', planNumber: 2 });
  expect(await current()).toMatchObject({ query: queryOf(480) });
});

test.each([{ force: true }, {}])('a new plan is made of the last query before the work begins (%j)', async (body) => {
  await changeQuery(480);
  await reprocess(body);
  await changeQuery(360);
  expect(await current()).toMatchObject({ planNumber: 2, query: null });
  expect(await claim(2)).toMatchObject({ decision: 'process', planNumber: 2 });
  expect(await current()).toMatchObject({ planNumber: 2, lastPlanNumber: 2, query: queryOf(360) });
});

test('a video that failed before its new plan was begun is processed again under the same number', async () => {
  await changeQuery(480);
  await reprocess();
  await fail({ videoUlid: video.ulid, planNumber: 2, error: { Error: 'Job.Fatal', Cause: 'INTERNAL: Stopped.' } });
  expect(await current()).toMatchObject({ status: 'failed', query: null });
  await reprocess();
  await runPipeline(video.ulid, 2);
  expect(await current()).toMatchObject({ status: 'completed', planNumber: 2, query: queryOf(480) });
});

test('the picture of an upload replaces that of the template, and its plan stays until one of them changes', async () => {
  const picture = { rotate: 90 as const, deinterlace: 'auto' as const };
  await updateTemplate(
    (await findAnyTemplate(video.templateUlid))!,
    { query: { ...queryOf(720), picture: { flip: 'vertical', crop: { top: '5%' } } } as never },
    user,
  );
  await write({ update: keys.video(video.ulid), set: { sourceOptions: { picture } } });
  await reprocess();
  expect(await claim(2)).toMatchObject({ decision: 'process', planNumber: 2 });
  expect((await current()).query).toEqual({ ...queryOf(720), picture });
  const planned = async (): Promise<boolean> => {
    const template = await findAnyTemplate(video.templateUlid);
    return !isOfOtherQuery(await current(), template);
  };
  expect(await planned()).toBe(true);
  await changeQuery(360);
  expect(await planned()).toBe(false);
});
