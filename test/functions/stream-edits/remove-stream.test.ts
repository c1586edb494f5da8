import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, test, vi } from 'vitest';
import { handler as streamsHandler } from '../../../functions/api/streams.lambda.ts';
import { handler as videosHandler } from '../../../functions/api/videos.lambda.ts';
import { removeStream } from '../../../functions/stream-edits/remove-stream.ts';
import type { User } from '../../../functions/table/records.ts';
import { VideoChanged } from '../../../functions/table/videos/video-changed.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();
mockClient(SFNClient);

/** No completed output has `v480`. */
const web = {
  version: 1,
  video: [
    { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' },
    { name: 'v480', codec: 'h264', height: 480, bitrate: '1400k' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4, video: ['v720'] },
  ],
};

let user: User;
let token: string;
let whole: WholeVideo;
beforeEach(async () => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  ({ user, token } = await createPerson());
  whole = await storeEncodedVideo(user, web, { unpackaged: ['hls'] });
});

const unplayed = () => whole.streams.find(({ name }) => name === 'v480')!;
const remove = async (): Promise<number> =>
  (await callHandler(streamsHandler, `DELETE /api/streams/${unplayed().id}`, { token })).status;

test('a stream that no completed output plays is removed at once', async () => {
  expect(await remove()).toBe(204);
  const { streams, edits } = (await findWholeVideo(whole.video.ulid))!;
  expect([streams.some(({ ulid }) => ulid === unplayed().ulid), edits]).toEqual([false, []]);
});

test('it stays when the video is reprocessed after it was read', async () => {
  const { status } = await callHandler(videosHandler, `POST /api/videos/${whole.video.ulid}/reprocess`, { token });
  expect(status).toBe(202);
  await expect(removeStream(whole, unplayed(), user)).rejects.toThrow(VideoChanged);
  expect(await remove()).toBe(409);
  expect((await findWholeVideo(whole.video.ulid))?.streams).toEqual(whole.streams);
});
