import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newUlid } from '../../../functions/common/ids.ts';
import { jobFolder } from '../../../functions/job-results/job-files.ts';
import { deleteUnusedAttempts } from '../../../functions/queue/unused-attempts.ts';
import { failVideo } from '../../../functions/runs/video-run/fail-video.ts';
import { handler as sweep } from '../../../functions/schedule/sweep.lambda.ts';
import { write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { findJobsOfKind } from '../../../functions/table/jobs/job-table.ts';
import { findVideo, type WholeVideo } from '../../../functions/table/videos/video-table.ts';
import { outputPrefix, runPrefix, videoPrefix } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeEncodedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const bucket = { Bucket: 'test-bucket' };
const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ format: 'hls', segment_duration: 4 }],
};

let whole: WholeVideo;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  for (const [name, value] of Object.entries({ CLUSTER: 'none', TASK_DEFINITION_FAMILY: 'worker', MAX_TASKS: '0' })) {
    vi.stubEnv(name, value);
  }
  mockClient(ECSClient).on(ListTasksCommand).resolves({ taskArns: [] });
  whole = await storeEncodedVideo((await createPerson()).user, web);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const ulid = (): string => whole.video.ulid;
const put = (Key: string) => new S3Client({}).send(new PutObjectCommand({ ...bucket, Key, Body: 'x' }));
const objects = async (): Promise<string[]> => {
  const { Contents = [] } = await new S3Client({}).send(
    new ListObjectsV2Command({ ...bucket, Prefix: videoPrefix(ulid()) }),
  );
  return Contents.map(({ Key }) => Key!).toSorted();
};
const attempt = async (number: number): Promise<string> => {
  const [job] = await findJobsOfKind(ulid(), 1, 'encode-video');
  return `${jobFolder({ ...job!, attempt: number })}v720/00000.m4s`;
};

describe('files that a worker without a lease writes after the video has ended', () => {
  test('are deleted when no worker can write any more, and no other files are', async () => {
    const made = await objects();
    const late = await attempt(2);
    await put(late);
    await sweep();
    expect(await objects()).toEqual([...made, late].toSorted());
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    await sweep();
    expect(await objects()).toEqual(made);
  });

  test('are deleted for a failed video too, which keeps its finished files', async () => {
    await write({ update: keys.video(ulid()), set: { status: 'running' } });
    await failVideo((await findVideo(ulid()))!, 'INTERNAL: x');
    const made = await objects();
    await put(await attempt(2));
    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    await sweep();
    expect(await objects()).toEqual(made);
  });

  test('are deleted together with playlists of outputs that failed while they were playable', async () => {
    const made = await objects();
    await put(`${outputPrefix(ulid(), newUlid())}1/v360.m3u8`);
    await deleteUnusedAttempts(ulid());
    expect(await objects()).toEqual(made);
  });

  test('stay while the video is being processed or edited, whose end schedules the deletion again', async () => {
    await put(await attempt(2));
    const all = await objects();
    await write({ update: keys.video(ulid()), set: { status: 'running' } });
    expect(await deleteUnusedAttempts(ulid())).toBe(0);
    expect(await objects()).toEqual(all);
  });

  test('are deleted with a plan that a newer one has replaced', async () => {
    const made = await objects();
    await write({ update: keys.video(ulid()), set: { planNumber: 2, lastPlanNumber: 2 } });
    await put(`${runPrefix(ulid(), 2)}encode-video-00-00000-a1/v720/00000.m4s`);
    await deleteUnusedAttempts(ulid());
    expect(await objects()).toEqual(made.filter((key) => !key.startsWith(runPrefix(ulid(), 1))));
  });

  test('are deleted when they are thumbnails that the present plan does not have', async () => {
    const made = await objects();
    await put(`${videoPrefix(ulid())}thumbnails/poster.png`);
    await deleteUnusedAttempts(ulid());
    expect(await objects()).toEqual(made);
  });

  test('are deleted in the folder of a result that is of the second run of the encoder', async () => {
    const made = await objects();
    const [job] = await findJobsOfKind(ulid(), 1, 'encode-video');
    const folder = jobFolder(job!);
    const result = JSON.stringify(job!.result)
      .replace('/init.mp4', '/r2-init.mp4')
      .replace(/\/(?=\d{5}\.m4s)/g, '/r2-');
    await write({ update: keys.job(job!), set: { result: JSON.parse(result) } });
    const secondRun = made.filter((key) => key.startsWith(folder)).map((key) => key.replace(/([^/]+)$/, 'r2-$1'));
    for (const key of secondRun) await put(key);
    await write({ update: keys.video(ulid()), set: { status: 'running' } });
    expect(await deleteUnusedAttempts(ulid())).toBe(0);
    await write({ update: keys.video(ulid()), set: { status: 'completed' } });
    expect(await deleteUnusedAttempts(ulid())).toBe(secondRun.length);
    const others = made.filter((key) => !key.startsWith(folder));
    expect(await objects()).toEqual([...others, ...secondRun].toSorted());
    expect(secondRun.length).toBeGreaterThan(1);
  });

  test('are not looked for when the video is deleted', async () => {
    await write({ update: keys.video(ulid()), set: { deletedAt: '2026-11-20T10:00:00.000000Z' } });
    expect(await deleteUnusedAttempts(ulid())).toBe(0);
  });
});
