import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { admitWaiting, checkSlots } from '../../../functions/admission/admission.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { failVideo } from '../../../functions/runs/video-run/fail-video.ts';
import { acquireSlot, findAdmitted, freeSlot } from '../../../functions/table/admission/slots.ts';
import { dequeueWaiting, firstWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { Upload } from '../../../functions/table/records.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();

const store = mockClient(S3Client);
const states = mockClient(SFNClient);
beforeEach(async () => {
  store.reset();
  states.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
  for (const { videoUlid } of await listWaitingVideos()) await dequeueWaiting({ videoUlid });
  for (const ulid of Object.keys(await findAdmitted())) await freeSlot(ulid);
  Object.assign(process.env, { MAX_RUNNING_EXECUTIONS: '2', STATE_MACHINE_ARN: 'arn:machine' });
});

const listWaitingVideos = () => firstWaiting({ users: 100, videosOfUser: 100 });
const comes = ({ key, ulid }: Upload) =>
  createVideo({ event: { detail: { object: { key } } }, executionArn: `arn:event:${ulid}` });
const runs = (videoUlid: string, name: string) =>
  createVideo({ event: { videoUlid, planNumber: 1 }, executionArn: `arn:${name}` });
const upload = (ownerUlid?: string) => storeUpload(ownerUlid === undefined ? {} : { ownerUlid });
const started = () => states.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input.name);

/** Two videos in work, so that the next one waits. */
async function fill(): Promise<Upload[]> {
  const uploads = [await upload(), await upload()];
  for (const one of uploads) expect(await comes(one)).toMatchObject({ decision: 'process' });
  return uploads;
}

describe('a video above the limit', () => {
  test('waits as pending, and its execution answers queued', async () => {
    await fill();
    const late = await upload();
    expect(await comes(late)).toEqual({ decision: 'queued', videoUlid: late.ulid, planNumber: 1 });
    expect(await findVideo(late.ulid)).toMatchObject({ status: 'pending', executionArn: null, executionCount: 2 });
    expect(await listWaitingVideos()).toEqual([{ videoUlid: late.ulid, ownerUlid: late.ownerUlid }]);
    expect(started()).toEqual([]);
  });

  test('is started when a running video ends, and gets its slot', async () => {
    const [first] = await fill();
    const late = await upload();
    await comes(late);
    await failVideo((await findVideo(first!.ulid))!, 'INPUT_EMPTY: The file is empty.');
    expect(started()).toEqual([`${late.ulid}-2`]);
    expect(await runs(late.ulid, 'second')).toMatchObject({ decision: 'process' });
    expect(await findVideo(late.ulid)).toMatchObject({ status: 'downloading', executionArn: 'arn:second' });
    expect(Object.keys(await findAdmitted())).toHaveLength(2);
  });

  test('waits again under another execution name when its event is delivered twice', async () => {
    await fill();
    const late = await upload();
    await comes(late);
    expect(await comes(late)).toMatchObject({ decision: 'queued' });
    expect(await listWaitingVideos()).toHaveLength(1);
  });

  test('is not overtaken by a later video', async () => {
    const [first] = await fill();
    const late = await upload();
    await comes(late);
    await freeSlot(first!.ulid);
    const later = await upload();
    expect(await comes(later)).toMatchObject({ decision: 'queued' });
    expect(started()).toEqual([`${late.ulid}-2`]);
  });

  test('leaves the waiting list when it is deleted', async () => {
    await fill();
    const late = await upload();
    await comes(late);
    await transact(videoDeletion((await findVideo(late.ulid))!));
    expect(await listWaitingVideos()).toEqual([]);
  });
});

describe('free slots', () => {
  test('are given to the owner with the fewest running videos, before an earlier video of another owner', async () => {
    const [first, second] = await fill();
    const mine = [await upload(second!.ownerUlid), await upload(second!.ownerUlid)];
    for (const one of mine) await comes(one);
    const other = await upload();
    await comes(other);
    await failVideo((await findVideo(first!.ulid))!, 'INPUT_EMPTY: The file is empty.');
    expect(started()).toEqual([`${other.ulid}-2`]);
  });

  test('are found when a video ended without releasing its slot', async () => {
    const [first] = await fill();
    const late = await upload();
    await comes(late);
    await transact(videoDeletion((await findVideo(first!.ulid))!));
    expect(await admitWaiting()).toBe(0);
    expect(await checkSlots()).toEqual({ freed: 1, started: 0 });
    expect(await admitWaiting()).toBe(1);
  });

  test('are given once each to concurrent requests', async () => {
    const asked = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { ulid, ownerUlid } = await upload();
        return acquireSlot({ videoUlid: ulid, ownerUlid }, 5);
      }),
    );
    expect(asked.filter(Boolean)).toHaveLength(5);
  });

  test('are kept by videos whose start failed after their admission, which are started by the next check', async () => {
    const running = await fill();
    const late = [await upload(), await upload()];
    for (const one of late) await comes(one);
    for (const { ulid } of running) await freeSlot(ulid);
    states.on(StartExecutionCommand).rejects(new Error('the process died'));
    await expect(admitWaiting()).rejects.toThrow();
    await expect(checkSlots()).rejects.toThrow();
    expect(await listWaitingVideos()).toHaveLength(2);
    states.reset();
    // All slots are taken by the two.
    expect(await admitWaiting()).toBe(0);
    expect(await checkSlots()).toEqual({ freed: 0, started: 2 });
    expect(started().toSorted()).toEqual(late.map(({ ulid }) => `${ulid}-2`));
    expect(await listWaitingVideos()).toEqual([]);
    expect(await checkSlots()).toEqual({ freed: 0, started: 0 });
    expect(Object.keys(await findAdmitted()).toSorted()).toEqual(late.map(({ ulid }) => ulid));
  });
});
