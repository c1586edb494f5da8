import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendTaskFailureCommand, SendTaskSuccessCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import { leaseNext } from '../../../functions/jobs/lease.ts';
import { loseEarlierEpochs } from '../../../functions/jobs/lose.ts';
import { reportDone, reportFailed, reportRunning } from '../../../functions/jobs/report.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.ts';
import type { Lease } from '../../../shared/jobs.ts';
import type { Upload } from '../../../shared/records.ts';
import { transact } from '../../../shared/table/items.ts';
import { findJob, queueJob } from '../../../shared/table/jobs.ts';
import { listUsage } from '../../../shared/table/usage.ts';
import { deletion } from '../../../shared/table/video-lifecycle.ts';
import { findVideo } from '../../../shared/table/videos.ts';
import { storedUpload } from '../../fixtures/records.ts';
import { useTable } from '../../fixtures/table.ts';

useTable();

const store = mockClient(S3Client);
const states = mockClient(SFNClient);
const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };
const result = {
  formatName: 'mov,mp4',
  sizeBytes: 1000,
  durationSeconds: 2,
  video: null,
  audio: [],
  meta: {},
  cpuSeconds: 1.5,
};

let upload: Upload;
let lease: Lease;
const id = () => ({ videoUlid: upload.ulid, run: 1, kind: 'probe' as const, group: 0, index: 0 });
const cpuMs = async (): Promise<number> => {
  const rows = await listUsage(upload.ownerUlid, '2000-01-01', '2999-01-01');
  return rows.filter(({ metric }) => metric === 'encoding_cpu').reduce((sum, { value }) => sum + value, 0);
};

beforeEach(async () => {
  store.reset();
  states.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
  upload = await storedUpload();
  await createVideo({ event: { detail: { object: { key: upload.key } } }, executionArn: 'arn:execution:1' });
  await queueJob(id(), {
    kind: 'probe',
    taskToken: `token-${upload.ulid}`,
    estimateSeconds: 10,
    workUnits: 1,
    startedAt: '2026-11-20T10:00:00.000000Z',
  });
  lease = (await leaseNext(caller))!;
});

describe('a worker', () => {
  test('is given the job with URLs for its objects only', () => {
    expect(lease).toMatchObject({ kind: 'probe', spec: { kind: 'probe', sizeBytes: 1000 } });
    expect(Object.keys(lease.inputs)).toEqual(['source']);
    expect(lease.inputs.source).toContain(upload.key);
    expect(Object.keys(lease.outputs)).toEqual(['index.json.gz']);
  });

  test('is told to stop once the video is deleted', async () => {
    expect(await reportRunning({ lease: lease.id, progress: 0.1 })).toBe(true);
    await transact(deletion((await findVideo(upload.ulid))!));
    expect(await reportRunning({ lease: lease.id, progress: 0.2 })).toBe(false);
  });

  test('that starts anew has lost what it held, and the state machine hears of it', async () => {
    await loseEarlierEpochs({ ...caller, epoch: 'e2' });
    expect(await findJob(id())).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_STOPPED' } });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
    expect(await reportRunning({ lease: lease.id, progress: 0.5 })).toBe(false);
  });
});

describe('a result', () => {
  test('is counted once and answered each time, however often it is reported', async () => {
    await Promise.all(Array.from({ length: 5 }, () => reportDone({ lease: lease.id, result })));
    await reportDone({ lease: lease.id, result });
    expect(await findJob(id())).toMatchObject({ status: 'DONE', result: { cpuSeconds: 1.5 } });
    expect(await cpuMs()).toBe(1500);
    const answered = states.commandCalls(SendTaskSuccessCommand).map(({ args }) => args[0].input.taskToken);
    expect(new Set(answered)).toEqual(new Set([`token-${upload.ulid}`]));
  });

  test('of a lease that was given up is dropped', async () => {
    await loseEarlierEpochs({ ...caller, epoch: 'e2' });
    await reportDone({ lease: lease.id, result });
    expect(await findJob(id())).toMatchObject({ status: 'FAILED' });
    expect(await cpuMs()).toBe(0);
  });

  test('that is none is a failure to try again', async () => {
    await reportDone({ lease: lease.id, result: { ...result, durationSeconds: 'long' } });
    expect(await findJob(id())).toMatchObject({ status: 'FAILED', error: { code: 'OUTPUT_MISMATCH', fatal: false } });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Job.Transient' });
  });

  test('under an invented lease changes nothing', async () => {
    const invented = lease.id.replace(/[^.]+$/, 'AAAAAAAAAAAAAAAA');
    await reportDone({ lease: invented, result });
    await reportDone({ lease: 'x', result });
    expect(await findJob(id())).toMatchObject({ status: 'LEASED' });
  });
});

describe('a failure', () => {
  test("that is the input's is final", async () => {
    await reportFailed({ lease: lease.id, code: 'INPUT_NOT_MEDIA', fatal: true, message: 'This is no video.' });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toEqual({
      taskToken: `token-${upload.ulid}`,
      error: 'Job.Fatal',
      cause: 'INPUT_NOT_MEDIA: This is no video.',
    });
  });

  test('of a worker that is stopped counts as a lost worker, which is tried again at once', async () => {
    await reportFailed({
      lease: lease.id,
      code: 'WORKER_STOPPED',
      fatal: false,
      message: 'The worker is shutting down.',
    });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
  });
});
