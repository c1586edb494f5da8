import { expect, test } from 'vitest';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { handler as plan } from '../../../../functions/pipeline/plan.lambda.ts';
import type { User } from '../../../../functions/table/records.ts';
import { reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, moveOutput, type WholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { endPipeline, executionArn, storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../../fixtures/use-empty-pool.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
    { name: 'file', format: 'mp4' },
  ],
};

/** A video that is processed again under the same plan, claimed by its execution. */
async function claimedAgain(unpackaged: string[]): Promise<WholeVideo> {
  const { video } = await storeEncodedVideo((await createPerson()).user, web, { unpackaged });
  const owner = { ulid: video.ownerUlid } as User;
  expect(await reprocessVideo(video, { replan: false, probe: undefined, quota: null, properties: {} }, owner)).toBe(
    true,
  );
  const arn = executionArn(video.ulid, 1);
  expect(await createVideo({ event: { videoUlid: video.ulid, planNumber: 1 }, executionArn: arn })).toMatchObject({
    decision: 'process',
  });
  return (await findWholeVideo(video.ulid))!;
}
const statusesOf = async (ulid: string) =>
  (await findWholeVideo(ulid))!.outputs.map(({ name, status }) => [name, status]);

test.each([
  ['one output', ['hls']],
  ['all outputs', ['hls', 'dash', 'file']],
])('a plan whose first try died after it had reset %s packages every failed output', async (_, reset) => {
  const { video, outputs } = await claimedAgain(['hls', 'dash', 'file']);
  for (const { name, ulid } of outputs) {
    if (reset.includes(name)) expect(await moveOutput(video, ulid, 'pending', { errorLog: null })).toBe(true);
  }
  const event = { videoUlid: video.ulid, planNumber: 1 };
  const planned = await plan(event);
  expect(planned.outputs.map(({ outputUlid }) => outputUlid)).toEqual(outputs.map(({ ulid }) => ulid));
  await endPipeline(event, planned.outputs);
  expect((await findWholeVideo(video.ulid))!.video.status).toBe('completed');
  expect(await statusesOf(video.ulid)).toEqual([
    ['hls', 'completed'],
    ['dash', 'completed'],
    ['file', 'completed'],
  ]);
});

test('a plan that is repeated leaves out what is completed', async () => {
  const { video, outputs } = await claimedAgain(['dash']);
  const event = { videoUlid: video.ulid, planNumber: 1 };
  const dash = outputs.find(({ name }) => name === 'dash')!.ulid;
  for (let call = 0; call < 2; call++) {
    expect((await plan(event)).outputs.map(({ outputUlid }) => outputUlid)).toEqual([dash]);
  }
  expect(await statusesOf(video.ulid)).toEqual([
    ['hls', 'completed'],
    ['dash', 'pending'],
    ['file', 'completed'],
  ]);
});
