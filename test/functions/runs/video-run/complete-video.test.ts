import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { writeObject } from '../../../../functions/aws/object-store.ts';
import { handler as createVideo } from '../../../../functions/pipeline/create-video.lambda.ts';
import { handler as packageOutput } from '../../../../functions/pipeline/package-output.lambda.ts';
import { handler as plan } from '../../../../functions/pipeline/plan.lambda.ts';
import { handler as publish } from '../../../../functions/pipeline/publish.lambda.ts';
import { handler as startPackaging } from '../../../../functions/pipeline/start-packaging.lambda.ts';
import { completeVideo } from '../../../../functions/runs/video-run/complete-video.ts';
import { failVideo } from '../../../../functions/runs/video-run/fail-video.ts';
import type { User } from '../../../../functions/table/records.ts';
import { reprocessVideo } from '../../../../functions/table/videos/reprocess-video.ts';
import { findWholeVideo, type WholeVideo } from '../../../../functions/table/videos/video-table.ts';
import { createPerson } from '../../../fixtures/create-person.ts';
import { encodeAll, executionArn, storeEncodedVideo } from '../../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../../fixtures/use-empty-pool.ts';
import { useTable } from '../../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};

const read = async (ulid: string): Promise<WholeVideo> => (await findWholeVideo(ulid))!;
const filesBelow = async (prefix: string): Promise<number> => {
  const list = new ListObjectsV2Command({ Bucket: process.env.BUCKET_NAME!, Prefix: prefix });
  return (await new S3Client({}).send(list)).KeyCount ?? 0;
};

/** A completed video whose second plan has encoded and packaged everything, and is not published yet. */
async function packagedAgain(): Promise<string> {
  const { video } = await storeEncodedVideo((await createPerson()).user, web);
  const owner = { ulid: video.ownerUlid } as User;
  await reprocessVideo(video, { replan: true, probe: undefined, quota: null, properties: {} }, owner);
  const event = { videoUlid: video.ulid, planNumber: 2 };
  await createVideo({ event, executionArn: executionArn(video.ulid, 2) });
  const { outputs } = await plan(event);
  await encodeAll(video.ulid, 2);
  await startPackaging(event);
  for (const { outputUlid } of outputs) await packageOutput({ ...event, outputUlid });
  return video.ulid;
}

test('the files of an earlier plan are kept when the video has failed before it could be completed', async () => {
  const ulid = await packagedAgain();
  const whole = await read(ulid);
  await failVideo(whole.video, 'INTERNAL: The processing was stopped. The video can be processed again.');
  const [before, manifests] = [await filesBelow(`videos/${ulid}/r1/`), `videos/${ulid}/${whole.outputs[0]!.ulid}/`];
  expect(before).toBeGreaterThan(0);
  await completeVideo(whole);
  expect((await read(ulid)).outputs.map(({ planNumber, status }) => [planNumber, status])).toEqual([
    [1, 'completed'],
    [2, 'completed'],
  ]);
  expect(await filesBelow(`videos/${ulid}/r1/`)).toBe(before);
  expect(await filesBelow(manifests)).toBeGreaterThan(0);
});

test('the files of an earlier plan are removed, also by a call that repeats one which died before it removed them', async () => {
  const ulid = await packagedAgain();
  const whole = await read(ulid);
  const folder = `videos/${ulid}/${whole.outputs[0]!.ulid}/`;
  await publish({ videoUlid: ulid, planNumber: 2 });
  expect([await filesBelow(`videos/${ulid}/r1/`), await filesBelow(folder)]).toEqual([0, 0]);
  await writeObject(`videos/${ulid}/r1/encode-video-00-00000-a1/v720/00000.m4s`, 'x', 'video/mp4');
  await publish({ videoUlid: ulid, planNumber: 2 });
  expect(await filesBelow(`videos/${ulid}/r1/`)).toBe(0);
  expect(await filesBelow(`videos/${ulid}/r2/`)).toBeGreaterThan(0);
  expect((await read(ulid)).outputs.map(({ planNumber, status }) => [planNumber, status])).toEqual([[2, 'completed']]);
});
