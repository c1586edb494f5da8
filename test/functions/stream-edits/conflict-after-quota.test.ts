import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler as streams } from '../../../functions/api/streams.lambda.ts';
import { handler as videos } from '../../../functions/api/videos.lambda.ts';
import { findUser, updateUser } from '../../../functions/table/accounts/user-table.ts';
import { readQuotaUse } from '../../../functions/table/quotas/reserve.ts';
import type { User } from '../../../functions/table/records.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(SFNClient);

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

let user: User;
let token: string;
beforeEach(async () => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  ({ user, token } = await createPerson());
});

/** Leaves at most so many seconds of the month's quota, beside what is held already. */
async function leave(seconds: number): Promise<void> {
  const { reserved } = await readQuotaUse(user.ulid);
  const encodingCpuSecondsPerMonth = Math.floor(reserved.cpuMilliseconds / 1000) + seconds;
  await updateUser(
    (await findUser(user.ulid))!,
    { quota: { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth } },
    user,
  );
}

const add = async ({ video }: WholeVideo, type: 'video' | 'audio', params: object): Promise<number> => {
  const body = { video_id: video.id, name: 'New', type, input_params: params };
  return (await callHandler(streams, 'POST /api/streams', { token, body })).status;
};
const change = async (whole: WholeVideo, stream: string, params: object): Promise<number> => {
  const { id } = whole.streams.find(({ name }) => name === stream)!;
  return (await callHandler(streams, `PUT /api/streams/${id}`, { token, body: { input_params: params } })).status;
};
const small = { codec: 'h264', height: 360, bitrate: '800k' };
const inOtherLanguage = { codec: 'aac', bitrate: '128k', language: 'fi' };

test('a stream for a video that is being encoded is 422, then 402 by its estimate, then 409', async () => {
  const whole = (await findWholeVideo(await storePlannedVideo(user, web)))!;
  await leave(1);
  expect(await add(whole, 'audio', inOtherLanguage)).toBe(422);
  expect(await add(whole, 'video', small)).toBe(402);
  await leave(1000);
  expect(await add(whole, 'audio', inOtherLanguage)).toBe(422);
  expect(await add(whole, 'video', small)).toBe(409);
});

test('a change of a stream that is being encoded is 422, then 402 by its estimate, then 409', async () => {
  const whole = (await findWholeVideo(await storePlannedVideo(user, web)))!;
  await leave(1);
  expect(await change(whole, 'stereo', { language: 'fi' })).toBe(422);
  expect(await change(whole, 'v720', { bitrate: '900k' })).toBe(402);
  await leave(1000);
  expect(await change(whole, 'stereo', { language: 'fi' })).toBe(422);
  expect(await change(whole, 'v720', { bitrate: '900k' })).toBe(409);
});

test('while a video waits to be probed again, streams are 402 without any quota, then 409', async () => {
  const whole = await storeEncodedVideo(user, web);
  const body = { force: true };
  expect(await callHandler(videos, `POST /api/videos/${whole.video.ulid}/reprocess`, { token, body })).toMatchObject({
    status: 202,
  });
  await leave(0);
  expect([await add(whole, 'video', small), await change(whole, 'v720', { bitrate: '900k' })]).toEqual([402, 402]);
  await leave(1000);
  expect([await add(whole, 'video', small), await change(whole, 'v720', { bitrate: '900k' })]).toEqual([409, 409]);
});
