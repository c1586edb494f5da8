import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler as streamsHandler } from '../../../functions/api/streams.lambda.ts';
import { handler as videosHandler } from '../../../functions/api/videos.lambda.ts';
import { failStreamEdit } from '../../../functions/runs/stream-edit-run/end-stream-edit.ts';
import { updateUser } from '../../../functions/table/accounts/user-table.ts';
import type { User } from '../../../functions/table/records.ts';
import { findStreamEdit } from '../../../functions/table/stream-edits/stream-edit-table.ts';
import { findVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(SFNClient);

/** The failed output has no `v360`. */
const web = {
  version: 1,
  video: [
    { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' },
    { name: 'v480', codec: 'h264', height: 480, bitrate: '1400k' },
    { name: 'v360', codec: 'h264', height: 360, bitrate: '800k' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4, video: ['v720', 'v480'] },
  ],
};
const conflict = {
  status: 409,
  json: {
    message:
      'A stream of the failed output dash was changed or deleted. Send "force": true to make everything again as the template says, without the changes of streams.',
  },
};

let user: User;
let token: string;
let whole: WholeVideo;
beforeEach(async () => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  ({ user, token } = await createPerson());
  whole = await storeEncodedVideo(user, web, { unpackaged: ['dash'] });
});

const reprocess = (body = {}) =>
  callHandler(videosHandler, `POST /api/videos/${whole.video.ulid}/reprocess`, { token, body });
const idOf = (stream: string): number => whole.streams.find(({ name }) => name === stream)!.id;
const change = async (stream: string) => {
  const body = { input_params: { bitrate: '700k' } };
  const answer = await callHandler(streamsHandler, `PUT /api/streams/${idOf(stream)}`, { token, body });
  expect(answer.status).toBe(200);
};
const remove = async (stream: string) => {
  expect((await callHandler(streamsHandler, `DELETE /api/streams/${idOf(stream)}`, { token })).status).toBe(204);
};

test.each([
  ['changed', change],
  ['deleted', remove],
])('a failed output is not made of the track of a stream that was %s, unless all is made again', async (_, edit) => {
  await edit('v480');
  await runPipeline(whole.video.ulid, 2);
  expect(await reprocess()).toMatchObject(conflict);
  expect(await findVideo(whole.video.ulid)).toMatchObject({ status: 'completed', planNumber: 1, executionCount: 1 });
  expect(await reprocess({ force: true })).toMatchObject({ status: 202 });
  expect(await findVideo(whole.video.ulid)).toMatchObject({ status: 'pending', planNumber: 3 });
});

test('nor of a stream that was deleted together with its files, since no output played it', async () => {
  whole = await storeEncodedVideo(user, web, { unpackaged: ['hls'] });
  await remove('v360');
  expect(await reprocess()).toMatchObject({
    status: 409,
    json: { message: expect.stringMatching(/^A stream of the failed output hls was changed or deleted\. /) },
  });
});

test('402 comes before the conflict', async () => {
  await remove('v480');
  await runPipeline(whole.video.ulid, 2);
  await updateUser(user, { quota: { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth: 0 } }, user);
  expect(await reprocess()).toMatchObject({ status: 402 });
});

test('changes of a stream that the failed output does not have do not matter', async () => {
  await change('v360');
  await runPipeline(whole.video.ulid, 2);
  expect(await reprocess()).toMatchObject({ status: 202 });
  await runPipeline(whole.video.ulid, 1);
  expect(await findVideo(whole.video.ulid)).toMatchObject({ status: 'completed', planNumber: 1 });
});

test('nor does a change that failed', async () => {
  await change('v480');
  await failStreamEdit((await findStreamEdit(whole.video.ulid, 2))!, 'INTERNAL: Stopped.');
  expect(await reprocess()).toMatchObject({ status: 202 });
});
