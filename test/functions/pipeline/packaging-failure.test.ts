import { expect, test } from 'vitest';
import type { User } from '../../../functions/table/records.ts';
import { reprocessVideo } from '../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { runPipeline, storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

/** HLS has both rungs and the audio. The file has the higher rung and the audio, so `v360` is in HLS only. */
const web = {
  version: 1,
  video: [
    { name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' },
    { name: 'v360', codec: 'h264', height: 360, bitrate: '800k' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'file', format: 'mp4', video: ['v720'] },
  ],
};
/** Without `force`: a failed job always runs again. */
const encodeReason = 'OUTPUT_MISMATCH: The service failed to process this video. It can be processed again.';
const reason = expect.stringMatching(/^OUTPUT_MISMATCH: .* "force": true/);
const processed = async (unpackaged: string[]): Promise<WholeVideo> =>
  storeEncodedVideo((await createPerson()).user, web, { unpackaged });
const again = async ({ video }: WholeVideo) => (await findWholeVideo(video.ulid))!;
const statusesOf = ({ streams }: WholeVideo) =>
  Object.fromEntries(streams.map(({ name, status, errorLog }) => [name, [status, errorLog]]));
const completed = ['completed', null];

test('a stream fails, with the reason, when the only output that needs it cannot be packaged', async () => {
  const whole = await processed(['hls']);
  expect(whole.video.status).toBe('completed');
  expect(whole.outputs.map(({ name, status, errorLog }) => [name, status, errorLog])).toEqual([
    ['hls', 'failed', reason],
    ['file', 'completed', null],
  ]);
  expect(statusesOf(whole)).toEqual({
    Original: completed,
    // These are in the file.
    v720: completed,
    stereo: completed,
    v360: ['failed', reason],
  });
});

test('a stream of a completed output is completed, in whichever order its outputs are packaged', async () => {
  const whole = await processed(['file']);
  expect(statusesOf(whole)).toEqual({ Original: completed, v720: completed, v360: completed, stereo: completed });
});

test('all streams fail when no output of the video can be packaged', async () => {
  const whole = await processed(['hls', 'file']);
  expect(whole.video.status).toBe('failed');
  const failed = ['failed', reason];
  expect(statusesOf(whole)).toEqual({ Original: completed, v720: failed, v360: failed, stereo: failed });
  // The encoded files are kept for the next attempt.
  expect(whole.streams.find(({ name }) => name === 'v360')?.bytes).toBe(4);
});

test('processing the video again clears the failure', async () => {
  const whole = await processed(['hls', 'file']);
  const owner = { ulid: whole.video.ownerUlid } as User;
  expect(
    await reprocessVideo(whole.video, { replan: false, probe: undefined, quota: null, properties: {} }, owner),
  ).toBe(true);
  await runPipeline(whole.video.ulid, 1, { unpackaged: ['file'] });
  expect(statusesOf(await again(whole))).toEqual({
    Original: completed,
    v720: completed,
    v360: completed,
    stereo: completed,
  });
});

test('an encoded stream is completed when its output fails for another stream', async () => {
  const { user } = await createPerson();
  const whole = await storeEncodedVideo(user, { ...web, outputs: web.outputs.slice(0, 1) }, { unencoded: ['stereo'] });
  const lost = ['failed', encodeReason];
  expect(statusesOf(whole)).toEqual({ Original: completed, v720: completed, v360: completed, stereo: lost });
  expect(whole.outputs[0]).toMatchObject({ status: 'failed', errorLog: encodeReason });
  expect(whole.video.status).toBe('failed');
});
