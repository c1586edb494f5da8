import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { SFNClient } from '@aws-sdk/client-sfn';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler as streams } from '../../../functions/api/streams.lambda.ts';
import { handler as videos } from '../../../functions/api/videos.lambda.ts';
import { handler as fail } from '../../../functions/pipeline/fail.lambda.ts';
import { handler as plan } from '../../../functions/pipeline/plan.lambda.ts';
import { findUser, updateUser } from '../../../functions/table/accounts/user-table.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { completeJob } from '../../../functions/table/jobs/job-endings.ts';
import { findJobs } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { readQuotaUse } from '../../../functions/table/quotas/reserve.ts';
import type { User } from '../../../functions/table/records.ts';
import { hideVideo } from '../../../functions/table/videos/hide-video.ts';
import { changeVideo } from '../../../functions/table/videos/video-changes.ts';
import { findVideo, findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { usageWrites } from '../../../functions/table/writes/usage-writes.ts';
import { callHandler } from '../../fixtures/call-handler.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { runPipeline, storeEncodedVideo, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

/** The quota of CPU time, from the plan of a run to its end. */
useTable();
useBucket();

const web = {
  version: 1,
  video: [{ name: 'v720', codec: 'h264', height: 720, bitrate: '2800k' }],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 4 }],
};
const seconds = 1000;

const stubs: AwsStub<never, never, never>[] = [];
beforeEach(() => {
  vi.stubEnv('STATE_MACHINE_ARN', 'arn:aws:states:us-east-1:000000000000:stateMachine:encode');
  for (const [name, value] of [
    ['CLUSTER', 'none'],
    ['TASK_DEFINITION_FAMILY', 'worker'],
    ['MAX_TASKS', '0'],
  ] as const)
    vi.stubEnv(name, value);
  const tasks = mockClient(ECSClient);
  tasks.on(ListTasksCommand).resolves({ taskArns: [] });
  stubs.push(tasks as never, mockClient(SFNClient) as never);
});
afterEach(() => {
  for (const stub of stubs.splice(0)) stub.restore();
  vi.unstubAllEnvs();
});

const allow = async (user: User, encodingCpuSecondsPerMonth: number): Promise<User> =>
  updateUser((await findUser(user.ulid))!, { quota: { uploadBytesPerMonth: null, encodingCpuSecondsPerMonth } }, user);
const cpu = async ({ ulid }: User) => {
  const { used, reserved } = await readQuotaUse(ulid);
  return { used: used.cpuMilliseconds, reserved: reserved.cpuMilliseconds };
};
const spend = ({ ulid: userUlid }: User, amount: number): Promise<void> =>
  transact(usageWrites({ userUlid, metric: 'encoding_cpu', externalUserId: null, amount, atMilliseconds: Date.now() }));

test('a plan holds its estimate, each finished job replaces a part of it by what it used, and the end releases the rest', async () => {
  const { user } = await createPerson();
  const videoUlid = await storePlannedVideo(user, web);
  const { reserved } = await cpu(user);
  expect(reserved).toBeGreaterThan(10 * seconds);
  const video = (await findVideo(videoUlid))!;
  expect(video.estimatedCpuSeconds).toBeCloseTo(reserved / seconds, 1);
  await plan({ videoUlid, planNumber: 1 });
  expect(await cpu(user)).toEqual({ used: 0, reserved });

  const id = { videoUlid, planNumber: 1, kind: 'encode-audio' as const, group: 0, index: 0 };
  const queueing = { ownerUlid: user.ulid, virtualTimeSeconds: 0 };
  await queueJob(id, { taskToken: 't', estimateSeconds: 10, workUnits: 1, ...queueing });
  const job = (await findJobs(videoUlid, 1)).find(({ kind }) => kind === 'encode-audio')!;
  const completion = { job, attempt: 1, stored: { result: {} }, video, cpuMilliseconds: 4200, part: undefined };
  expect([await completeJob(completion), await completeJob(completion)]).toEqual([true, false]);
  expect(await cpu(user)).toEqual({ used: 4200, reserved: reserved - 10 * seconds });

  await fail({ videoUlid, planNumber: 1, error: { Error: 'x', Cause: 'y' } });
  expect(await cpu(user)).toEqual({ used: 4200, reserved: 0 });
});

test('a plan that needs more than is left of the quota fails before anything is recorded, with what to do', async () => {
  const { user, token } = await createPerson();
  await allow(user, 25);
  await spend(user, 15 * seconds);
  const error = (await storePlannedVideo(user, web).catch((failure: unknown) => failure)) as Error;
  expect(error).toMatchObject({
    name: 'Job.Fatal',
    message: expect.stringMatching(
      /^QUOTA_EXCEEDED: The video needs about \d+ CPU seconds, more than is left of this month's quota\. Process it again next month or with a smaller template, or ask the administrator for a higher quota\.$/,
    ),
  });
  const { data } = (await callHandler(videos, 'GET /api/videos', { token })).json;
  const videoUlid = data[0].ulid;
  const [original] = (await findWholeVideo(videoUlid))!.streams;
  // As it is before the first plan.
  await write({ update: keys.streams(videoUlid), set: { [`streams.${original!.ulid}.status`]: 'pending' } });
  expect((await findWholeVideo(videoUlid))?.outputs).toEqual([]);
  await fail({
    videoUlid,
    planNumber: 1,
    error: { Error: 'Job.Fatal', Cause: JSON.stringify({ errorMessage: error.message }) },
  });
  const whole = (await findWholeVideo(videoUlid))!;
  expect([whole.video.status, whole.streams[0]?.errorLog]).toEqual(['failed', error.message]);
  expect(await cpu(user)).toEqual({ used: 15 * seconds, reserved: 0 });
});

test('a reprocess holds the estimate of the last plan, and is 402 before 409 without enough quota', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeEncodedVideo(user, web);
  expect((await cpu(user)).reserved).toBe(0);
  const estimate = video.estimatedCpuSeconds!;
  const reprocess = (body: object) => callHandler(videos, `POST /api/videos/${video.ulid}/reprocess`, { token, body });
  await allow(user, Math.floor(estimate));
  const message = `The quota of ${Math.floor(estimate)} CPU seconds a month does not allow this: 0 are used and 0 reserved.`;
  expect(await reprocess({ force: true })).toMatchObject({ status: 402, json: { message } });
  expect(await reprocess({ force: 'x' })).toMatchObject({ status: 422 });
  expect((await findVideo(video.ulid))?.status).toBe('completed');

  await allow(user, Math.ceil(estimate) + 1);
  expect(await reprocess({ force: true })).toMatchObject({ status: 202 });
  expect((await cpu(user)).reserved).toBe(Math.ceil(estimate * seconds));
  expect(await reprocess({ force: true })).toMatchObject({ status: 402 });
  await allow(user, 10 * Math.ceil(estimate));
  expect(await reprocess({ force: true })).toMatchObject({ status: 409 });
});

test('an edit holds its estimate until it ends, and without enough quota changes nothing', async () => {
  const { user, token } = await createPerson();
  const { video } = await storeEncodedVideo(user, web);
  const add = (height = 360) =>
    callHandler(streams, 'POST /api/streams', {
      token,
      body: {
        video_id: video.id,
        name: 'New',
        type: 'video',
        input_params: { codec: 'h264', height, bitrate: '800k' },
      },
    });
  await allow(user, 1);
  expect(await add()).toMatchObject({ status: 402 });
  expect((await findWholeVideo(video.ulid))?.edits).toEqual([]);
  await allow(user, 1000);
  expect(await add()).toMatchObject({ status: 201 });
  const { reserved } = await cpu(user);
  expect(reserved).toBeGreaterThan(seconds);
  await runPipeline(video.ulid, 2);
  expect((await findWholeVideo(video.ulid))?.streams.at(-1)?.status).toBe('completed');
  expect((await cpu(user)).reserved).toBe(0);

  const [stream] = (await findWholeVideo(video.ulid))!.streams.filter(({ type }) => type === 'video');
  const change = (body: object) => callHandler(streams, `PUT /api/streams/${stream!.id}`, { token, body });
  await allow(user, 1);
  await spend(user, seconds);
  expect(await change({ input_params: { bitrate: '900k' } })).toMatchObject({ status: 402 });
  expect(await change({ name: 'Renamed' })).toMatchObject({ status: 200 });
});

test('what is held follows the video to its new owner, and a deletion releases it', async () => {
  const [{ user }, heir] = [await createPerson(), await createPerson()];
  const videoUlid = await storePlannedVideo(user, web);
  const { reserved } = await cpu(user);
  const video = await changeVideo((await findVideo(videoUlid))!, user, { owner: heir.user });
  expect([(await cpu(user)).reserved, (await cpu(heir.user)).reserved]).toEqual([0, reserved]);
  await hideVideo(video, heir.user);
  expect((await cpu(heir.user)).reserved).toBe(0);
});

test('two plans that fit alone and not together: one of them is refused', async () => {
  const { user } = await createPerson();
  const first = await storePlannedVideo(user, web);
  const { reserved } = await cpu(user);
  await allow(user, Math.ceil((1.5 * reserved) / seconds));
  await expect(storePlannedVideo(user, web)).rejects.toThrow('QUOTA_EXCEEDED');
  await hideVideo((await findVideo(first))!, user);
  await expect(storePlannedVideo(user, web)).resolves.toHaveLength(26);
});
