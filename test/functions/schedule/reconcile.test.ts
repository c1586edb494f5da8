import {
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { ulid as ulidAt } from 'ulid';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deleteObjects } from '../../../functions/aws/object-store.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { handler as reconcile } from '../../../functions/schedule/reconcile.lambda.ts';
import { findAdmitted } from '../../../functions/table/admission/slots.ts';
import { duePages } from '../../../functions/table/items/due-pages.ts';
import { getItem, queryIndex, transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { completeJob, failJob } from '../../../functions/table/jobs/job-endings.ts';
import { leaseJob } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { type Upload, uploadRecord } from '../../../functions/table/records.ts';
import { startCompleting } from '../../../functions/table/uploads/upload-table.ts';
import { listPlaybackChanges } from '../../../functions/table/videos/playback-changes.ts';
import { findVideo, findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { markWorking } from '../../../functions/table/writes/video-writes.ts';
import { takenKey, uploadKey } from '../../../shared/object-keys.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();

const states = mockClient(SFNClient);
const bucket = { Bucket: 'test-bucket' };
const store = () => new S3Client({});
const put = (Key: string, Body = 'a video') => store().send(new PutObjectCommand({ ...bucket, Key, Body }));
const passMinutes = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);
const nothing = { events: 0, completions: 0, abandoned: 0, notStarted: 0, stopped: 0, marks: 0, streamEdits: 0 };
const allRight = {
  ...nothing,
  results: 0,
  captions: 0,
  reservations: 0,
  secrets: 0,
  folders: 0,
  orphans: 0,
  multiparts: 0,
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  states.reset();
  states.on(DescribeExecutionCommand).resolves({ status: 'RUNNING' });
  Object.assign(process.env, { STATE_MACHINE_ARN: 'arn:machine', STAGE: 'test' });
});
afterEach(async () => {
  // No test repairs what the others have left.
  for (const { pk, sk } of await queryIndex('byOwner', 'all#waiting-user')) await write({ delete: { pk, sk } });
  for await (const page of duePages(['working', 'upload', 'reservation'], '9999')) {
    for (const { pk, sk } of page) await write({ update: { pk, sk }, remove: ['dueShard', 'dueAt'] });
  }
  vi.useRealTimers();
});

const started = () => states.commandCalls(StartExecutionCommand).map(({ args }) => args[0].input);
const eventOf = ({ key }: Upload, executionArn = 'arn:execution:1') =>
  createVideo({ event: { detail: { object: { key } } }, executionArn });
const statusOf = async ({ ulid }: Upload) => (await getItem(uploadRecord, keys.upload(ulid)))?.status;

describe('reconcile of uploads', () => {
  test('leaves uploads younger than the repair delay', async () => {
    const upload = await storeUpload();
    await put(upload.key);
    passMinutes(9);
    expect(await reconcile()).toEqual(allRight);
    expect(started()).toEqual([]);
  });

  test('replays a lost event', async () => {
    const upload = await storeUpload();
    await put(upload.key);
    passMinutes(11);
    expect(await reconcile()).toEqual({ ...allRight, events: 1 });
    expect(JSON.parse(started()[0]!.input!)).toEqual({ detail: { object: { key: upload.key } } });
    await eventOf(upload);
    expect(await reconcile()).toEqual(allRight);
  });

  test('completes a multipart upload whose completion died', async () => {
    const upload = await storeUpload({ status: 'open' });
    const { UploadId } = await store().send(new CreateMultipartUploadCommand({ ...bucket, Key: upload.key }));
    await write({ update: keys.upload(upload.ulid), set: { s3UploadId: UploadId } });
    const part = { ...bucket, Key: upload.key, UploadId, PartNumber: 1, Body: 'a video' };
    const { ETag } = await store().send(new UploadPartCommand(part));
    await startCompleting({ ...upload, s3UploadId: UploadId! }, [{ PartNumber: 1, Size: 7, ETag: ETag! }], null);
    passMinutes(11);
    expect(await reconcile()).toEqual({ ...allRight, completions: 1 });
    expect(await store().send(new HeadObjectCommand({ ...bucket, Key: upload.key }))).toMatchObject({
      ContentLength: 7,
    });
  });

  test('closes uploads whose parts have expired', async () => {
    const uploads = [await storeUpload({ status: 'open' }), await storeUpload({ status: 'completing' })];
    passMinutes(8 * 24 * 60);
    expect(await reconcile()).toEqual({ ...allRight, abandoned: 2 });
    expect(await Promise.all(uploads.map(statusOf))).toEqual(['aborted', 'aborted']);
  });
});

describe('reconcile of videos', () => {
  async function video(): Promise<Upload> {
    const upload = await storeUpload();
    await put(upload.key);
    await eventOf(upload);
    return upload;
  }

  test('fails a video whose execution died, and releases its slot', async () => {
    const { ulid } = await video();
    expect(await reconcile()).toEqual(allRight);
    states.on(DescribeExecutionCommand).resolves({ status: 'TIMED_OUT' });
    passMinutes(1);
    expect(await reconcile()).toEqual({ ...allRight, stopped: 1 });
    expect(await findVideo(ulid)).toMatchObject({ status: 'failed' });
    expect(Object.keys(await findAdmitted())).not.toContain(ulid);
  });

  test('starts a video that was never started, under a new execution name', async () => {
    const { ulid } = await video();
    await write({ update: keys.video(ulid), set: { status: 'pending', executionArn: 'arn:dead' } });
    states.on(DescribeExecutionCommand).resolves({ status: 'FAILED' });
    passMinutes(11);
    expect(await reconcile()).toEqual({ ...allRight, notStarted: 1 });
    expect(started()).toMatchObject([{ name: `${ulid}-2` }]);
    expect(await findVideo(ulid)).toMatchObject({ status: 'pending', executionArn: null });
    // That execution died, too, before it claimed the video.
    passMinutes(1);
    expect(await reconcile()).toEqual({ ...allRight, notStarted: 1 });
    expect(started()).toMatchObject([{ name: `${ulid}-2` }, { name: `${ulid}-3` }]);
  });

  test('removes the working mark of a video that has ended', async () => {
    const { ulid } = await video();
    await write({ update: keys.video(ulid), set: { status: 'completed' } });
    await transact([markWorking(ulid)]);
    passMinutes(1);
    expect(await reconcile()).toEqual({ ...allRight, marks: 1 });
    expect(await reconcile()).toEqual(allRight);
  });

  test('answers the state that waits for an ended job again', async () => {
    const { ulid, ownerUlid } = await video();
    const jobs = ['done', 'failed'].map((taskToken, index) => ({
      videoUlid: ulid,
      planNumber: 1,
      kind: 'encode-audio' as const,
      group: 0,
      index,
      taskToken,
    }));
    for (const { taskToken, ...id } of jobs) {
      const facts = { kind: id.kind, taskToken, estimateSeconds: 1, workUnits: 1, ownerUlid, virtualTimeSeconds: 0 };
      await queueJob(id, facts);
      const lease = { lease: taskToken, holder: 'pool', worker: 'w', epoch: 'e' };
      const job = (await leaseJob((await findJob(id))!, lease))!;
      const lost = { code: 'WORKER_STOPPED', fatal: false, message: 'The worker stopped calling.' };
      const { video } = (await findWholeVideo(ulid))!;
      const completion = { job, attempt: 1, stored: {}, video, cpuMilliseconds: 0, part: undefined };
      expect(await (taskToken === 'done' ? completeJob(completion) : failJob(job, taskToken, lost))).toBe(true);
    }
    expect(await reconcile()).toEqual(allRight);
    passMinutes(11);
    expect(await reconcile()).toEqual({ ...allRight, results: 2 });
    expect(states.commandCalls(SendTaskSuccessCommand)[0]?.args[0].input).toMatchObject({ taskToken: 'done' });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
    states.on(SendTaskSuccessCommand).rejects(Object.assign(new Error('gone'), { name: 'TaskTimedOut' }));
    states.on(SendTaskFailureCommand).rejects(Object.assign(new Error('gone'), { name: 'TaskTimedOut' }));
    passMinutes(1);
    expect(await reconcile()).toEqual(allRight);
  });
});

describe('reconcile of objects', () => {
  const longAgo = Date.parse('2026-01-01T00:00:00Z');
  const names = async () => {
    const { Contents = [] } = await store().send(new ListObjectsV2Command({ ...bucket, Prefix: 'videos/' }));
    return Contents.map(({ Key }) => Key);
  };

  test('deletes files without a video, and no others', async () => {
    const upload = await storeUpload();
    await put(upload.key);
    await eventOf(upload);
    const [gone, young] = [ulidAt(longAgo), newUlid()];
    const kept = [`videos/${upload.ulid}/r1/a.m4s`, `videos/${young}/r1/a.m4s`];
    for (const key of [...kept, `videos/${gone}/r1/a.m4s`, `videos/${gone}/thumbnails/poster.jpg`]) await put(key);
    expect(await reconcile()).toEqual({ ...allRight, folders: 1 });
    expect((await names()).toSorted()).toEqual(kept.toSorted());
  });

  test('deletes nothing when too many folders have no video', async () => {
    const before = await names();
    const many = Array.from({ length: 12 }, () => `videos/${ulidAt(longAgo)}/r1/a.m4s`);
    for (const key of many) await put(key);
    expect(await reconcile()).toEqual(allRight);
    expect(await names()).toHaveLength(before.length + many.length);
  });

  test('deletes files when most or all folders have no video only after an operator has confirmed it', async () => {
    await deleteObjects('videos/');
    const key = `videos/${ulidAt(longAgo)}/r1/a.m4s`;
    await put(key);
    expect([await reconcile(), await names()]).toEqual([allRight, [key]]);
    expect([await reconcile({ confirmRemoval: true }), await names()]).toEqual([{ ...allRight, folders: 1 }, []]);
  });

  test('has the playback of a video applied again whose marker does not agree with its record', async () => {
    const { user } = await createPerson();
    const [wrongly, rightly, unmarked] = [
      await storeVideo(user),
      await storeVideo(user, { playback: 'public' }),
      await storeVideo(user, { playback: 'public' }),
    ].map(({ video }) => video.ulid);
    for (const ulid of [wrongly, rightly]) await put(`videos/${ulid}/public`);
    await put(`videos/${unmarked}/r1/a.m4s`);
    expect(await reconcile()).toEqual({ ...allRight, folders: 2 });
    const changes = (await listPlaybackChanges()).map(({ videoUlid }) => videoUlid);
    expect(changes.toSorted()).toEqual([wrongly, unmarked].toSorted());
    for (const ulid of [wrongly, rightly, unmarked]) await deleteObjects(`videos/${ulid}/`);
  });

  test('tags an object without an upload, and counts it once', async () => {
    const key = uploadKey(newUlid(), ulidAt(longAgo), 'x.mp4');
    await put(key);
    expect(await reconcile()).toEqual({ ...allRight, orphans: 1 });
    const { TagSet } = await store().send(new GetObjectTaggingCommand({ ...bucket, Key: key }));
    expect(TagSet).toEqual([{ Key: 'orphan', Value: 'true' }]);
    expect(await reconcile()).toEqual(allRight);
  });

  test.each(['video.mp4', 't', 'taken'])(
    'deletes a form named %s that was sent again beside the source of its video, and keeps the source',
    async (fileName) => {
      const [{ user }, ulid] = [await createPerson(), ulidAt(longAgo)];
      const sent = uploadKey(user.ulid, ulid, fileName);
      const source = takenKey(sent, newUlid());
      await storeVideo(user, { ulid, sourceKey: source });
      for (const key of [sent, source]) await put(key);
      expect(await reconcile()).toEqual({ ...allRight, orphans: 1 });
      const { Contents = [] } = await store().send(
        new ListObjectsV2Command({ ...bucket, Prefix: `uploads/${user.ulid}/` }),
      );
      expect(Contents.map(({ Key }) => Key)).toEqual([source]);
    },
  );

  test('aborts multipart uploads older than any job', async () => {
    await store().send(new CreateMultipartUploadCommand({ ...bucket, Key: 'videos/x/r1/video.mp4' }));
    expect(await reconcile()).toMatchObject({ multiparts: 0 });
    passMinutes(121);
    expect(await reconcile()).toMatchObject({ multiparts: 1 });
    expect((await store().send(new ListMultipartUploadsCommand(bucket))).Uploads ?? []).toEqual([]);
  });
});
