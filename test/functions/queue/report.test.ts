import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SendTaskFailureCommand, SendTaskSuccessCommand, SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ValidationFailed } from '../../../functions/common/errors.ts';
import { handler as createVideo } from '../../../functions/pipeline/create-video.lambda.ts';
import { handler as enqueue } from '../../../functions/pipeline/enqueue.lambda.ts';
import { expireEarlierEpochs } from '../../../functions/queue/expire-leases.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone, reportRunning } from '../../../functions/queue/report.ts';
import { reportFailed } from '../../../functions/queue/report-failure.ts';
import { countUnusedCpu } from '../../../functions/queue/unused-cpu.ts';
import { transact, write } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import { cancelJob } from '../../../functions/table/jobs/job-endings.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob, requeueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { Upload } from '../../../functions/table/records.ts';
import { listAnalytics } from '../../../functions/table/statistics/analytics-table.ts';
import { listUsage } from '../../../functions/table/statistics/usage-table.ts';
import { findVideo } from '../../../functions/table/videos/video-table.ts';
import { videoDeletion } from '../../../functions/table/writes/video-deletion.ts';
import { day } from '../../../shared/clock.ts';
import { frameIndexKey } from '../../../shared/object-keys.ts';
import type { Lease } from '../../../shared/protocol/jobs.ts';
import { probeResult as result } from '../../fixtures/records/queue-probe.ts';
import { storeUpload } from '../../fixtures/records/store-upload.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useEmptyPool();

const store = mockClient(S3Client);
const states = mockClient(SFNClient);
const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };

let upload: Upload;
let lease: Lease;
const id = () => ({ videoUlid: upload.ulid, planNumber: 0, kind: 'probe' as const, group: 0, index: 0 });
const job = () => findJob(id());
const answered = () => states.commandCalls(SendTaskSuccessCommand).map(({ args }) => args[0].input.taskToken);
const cpuMs = async (): Promise<number> => {
  const rows = await listUsage(upload.ownerUlid, '2000-01-01', '2999-01-01');
  return rows.filter(({ metric }) => metric === 'encoding_cpu').reduce((sum, { value }) => sum + value, 0);
};

beforeEach(async () => {
  store.reset();
  states.reset();
  store.on(HeadObjectCommand).resolves({ ContentLength: 1000 });
  upload = await storeUpload();
  await createVideo({ event: { detail: { object: { key: upload.key } } }, executionArn: 'arn:execution:1' });
  await queueJob(id(), {
    taskToken: `token-${upload.ulid}`,
    estimateSeconds: 10,
    workUnits: 1,
    ownerUlid: upload.ownerUlid,
    virtualTimeSeconds: 0,
  });
  lease = (await leaseNext(caller))!;
});

describe('a worker', () => {
  test('gets the job with URLs for its objects only', () => {
    expect(lease).toMatchObject({ kind: 'probe', spec: { kind: 'probe', sizeBytes: 1000 }, urgent: true });
    // Workers of the pool are in the network of the store.
    expect(lease.nearStore).toBe(true);
    expect(Object.keys(lease.inputs)).toEqual(['source']);
    expect(lease.inputs.source).toContain(upload.key);
    expect(Object.keys(lease.outputs)).toEqual([frameIndexKey(upload.ulid).split('/').at(-1)]);
  });

  test('stops once the video is deleted', async () => {
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.1 })).toBe(true);
    await transact(videoDeletion((await findVideo(upload.ulid))!));
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.2 })).toBe(false);
  });

  test('that restarts loses its leases, and the state machine gets the failure', async () => {
    await expireEarlierEpochs({ ...caller, epoch: 'e2' });
    expect(await job()).toMatchObject({ status: 'FAILED', error: { code: 'WORKER_STOPPED' } });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
  });

  test('that restarts does not affect other workers of its node', async () => {
    await expireEarlierEpochs({ ...caller, worker: 'w2', epoch: 'e2' });
    expect(await job()).toMatchObject({ status: 'LEASED' });
  });

  test('stops within one call when its job was cancelled, or the video has ended', async () => {
    await cancelJob((await job())!);
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.2 })).toBe(false);
  });

  test('gets an expired lease back while no other worker has the job', async () => {
    await expireEarlierEpochs({ ...caller, epoch: 'e2' });
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.2 })).toBe(true);
    await requeueJob((await job())!, 'token-2', { ownerUlid: upload.ownerUlid, virtualTimeSeconds: 0 });
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.3 })).toBe(true);
    expect(await job()).toMatchObject({ status: 'LEASED', lease: lease.id, attempt: 1 });
    expect(await leaseNext({ ...caller, worker: 'w2' })).toBeUndefined();
  });

  test('causes a write only for a due renewal or a step of progress', async () => {
    const before = (await job())!.leaseExpiresAt!;
    const call = (progress: number) => reportRunning(caller, { lease: lease.id, progress });
    await call(0.4);
    expect(await job()).toMatchObject({ leaseExpiresAt: before, progress: 0 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    await call(0.4);
    const kept = (await job())!;
    expect(kept.leaseExpiresAt! > before).toBe(true);
    expect(kept.progress).toBe(0);
    vi.stubEnv('PROGRESS_STEP', '0.3');
    await call(0.4);
    vi.unstubAllEnvs();
    vi.useRealTimers();
    expect(await job()).toMatchObject({ progress: 0.4 });
  });
});

/** The job with its next attempt, as the state machine has it tried again after a failure. */
const triedAgain = async (): Promise<Lease> => {
  await requeueJob((await job())!, `token-${upload.ulid}`, { ownerUlid: upload.ownerUlid, virtualTimeSeconds: 0 });
  return (await leaseNext(caller))!;
};

describe('a job whose results are refused', () => {
  const refused = { ...result, durationSeconds: -1 };
  const report = (given: Lease) => reportDone(caller, { lease: given.id, result: refused });

  test('is retried twice, and then fails for good', async () => {
    await expect(report(lease)).rejects.toBeInstanceOf(ValidationFailed);
    await expect(report(await triedAgain())).rejects.toBeInstanceOf(ValidationFailed);
    expect(await job()).toMatchObject({ status: 'FAILED', error: { fatal: false }, refusals: 2 });
    await expect(report(await triedAgain())).rejects.toBeInstanceOf(ValidationFailed);
    expect(await job()).toMatchObject({ status: 'FAILED', error: { code: 'RESULT_REFUSED', fatal: true } });
    const told = states.commandCalls(SendTaskFailureCommand).map(({ args }) => args[0].input.error);
    expect(told).toEqual(['Job.Transient', 'Job.Transient', 'Job.Fatal']);
  });

  test('is counted once when the worker also reports the refused result as failed', async () => {
    await expect(report(lease)).rejects.toBeInstanceOf(ValidationFailed);
    await reportFailed({ lease: lease.id, code: 'RESULT_REFUSED', fatal: false, message: 'refused' });
    expect(await job()).toMatchObject({ refusals: 1 });
  });

  test('is counted too when only the worker knows of the refusal', async () => {
    await reportFailed({ lease: lease.id, code: 'RESULT_REFUSED', fatal: false, message: 'refused' });
    await reportFailed({ lease: (await triedAgain()).id, code: 'DISK_FULL', fatal: false, message: 'full' });
    expect(await job()).toMatchObject({ refusals: 1 });
  });

  test('is counted from zero when a user requests it again', async () => {
    for (let given = lease, n = 0; n < 3; n++) {
      await expect(report(given)).rejects.toBeInstanceOf(ValidationFailed);
      if (n < 2) given = await triedAgain();
    }
    await expect(report(await triedAgain())).rejects.toBeInstanceOf(ValidationFailed);
    expect(await job()).toMatchObject({ error: { fatal: false }, refusals: 1 });
  });

  test('is done when a later result can be stored', async () => {
    await expect(report(lease)).rejects.toBeInstanceOf(ValidationFailed);
    await reportDone(caller, { lease: (await triedAgain()).id, result });
    expect(await job()).toMatchObject({ status: 'DONE' });
  });
});

/** The job after its worker was given up and another one has it. */
const passedOn = async (): Promise<Lease> => {
  await expireEarlierEpochs({ ...caller, epoch: 'e2' });
  await requeueJob((await job())!, 'token-2', { ownerUlid: upload.ownerUlid, virtualTimeSeconds: 0 });
  return (await leaseNext({ ...caller, worker: 'w2' }))!;
};

describe('two workers that have the same job', () => {
  test('both continue; the first result counts, under the present task token, and the other worker stops', async () => {
    const second = await passedOn();
    expect(second.id).not.toBe(lease.id);
    expect(await reportRunning(caller, { lease: lease.id, progress: 0.9 })).toBe(true);
    await reportDone(caller, { lease: lease.id, result });
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1 });
    expect(answered()).toEqual(['token-2']);
    expect(await reportRunning(caller, { lease: second.id, progress: 0.1 })).toBe(false);
  });

  test('may both send a result: one is stored and counted, the other acknowledged and dropped', async () => {
    const second = await passedOn();
    const other = { ...result, cpuSeconds: 4 };
    await Promise.all([
      reportDone(caller, { lease: lease.id, result }),
      reportDone(caller, { lease: second.id, result: other }),
    ]);
    expect([1500, 4000]).toContain(await cpuMs());
    const { attempt, result: taken } = (await job())!;
    expect(taken).toMatchObject({ cpuSeconds: attempt === 1 ? 1.5 : 4 });
  });

  test('fail separately: a failure under the earlier lease is dropped', async () => {
    await passedOn();
    states.resetHistory();
    await reportFailed({ lease: lease.id, code: 'DISK_FULL', fatal: false, message: 'The worker ran out of disk.' });
    expect(await job()).toMatchObject({ status: 'LEASED' });
    expect(states.calls()).toEqual([]);
  });
});

describe('a result', () => {
  test('is counted once and answered each time it is reported', async () => {
    await Promise.all(Array.from({ length: 5 }, () => reportDone(caller, { lease: lease.id, result })));
    await reportDone(caller, { lease: lease.id, result });
    expect(await job()).toMatchObject({ status: 'DONE', result: { cpuSeconds: 1.5 } });
    expect(await cpuMs()).toBe(1500);
    expect(new Set(answered())).toEqual(new Set([`token-${upload.ulid}`]));
  });

  test('of an expired lease is stored while the job is open, and answered when the job is requested again', async () => {
    await expireEarlierEpochs({ ...caller, epoch: 'e2' });
    await reportDone(caller, { lease: lease.id, result });
    expect(await job()).toMatchObject({ status: 'DONE', attempt: 1 });
    expect(await cpuMs()).toBe(1500);
    states.resetHistory();
    await enqueue({ taskToken: 'token-2', videoUlid: upload.ulid, planNumber: 1, kind: 'probe', index: 0 });
    expect(answered()).toEqual(['token-2']);
  });

  test.each(['running', 'done'])('of a %s probe is of no use when the template names other tracks', async (state) => {
    if (state === 'done') await reportDone(caller, { lease: lease.id, result });
    const query = {
      ...(await findVideo(upload.ulid))!.query,
      tracks: { video: 2, audio: [{ from: [4], as: 'mono' }] },
    };
    await write({ update: keys.video(upload.ulid), set: { query } });
    states.resetHistory();
    const again = { videoUlid: upload.ulid, planNumber: 1, kind: 'probe', index: 0 };
    await enqueue({ ...again, taskToken: 'token-2' });
    expect(answered()).toEqual([]);
    await reportDone(caller, { lease: lease.id, result });
    expect(await job()).toMatchObject({ status: 'QUEUED', taskToken: 'token-2' });
    const next = (await leaseNext({ ...caller, worker: 'w2' }))!;
    expect(next.spec).toEqual({ kind: 'probe', sizeBytes: 1000, tracks: { video: 2, audio: [4] } });
    await reportDone({ ...caller, worker: 'w2' }, { lease: next.id, result });
    await enqueue({ ...again, taskToken: 'token-3' });
    expect(answered()).toEqual(['token-2', 'token-3']);

    await write({ update: keys.video(upload.ulid), set: { query: { ...query, tracks: {} } } });
    await enqueue({ ...again, taskToken: 'token-4' });
    expect((await leaseNext({ ...caller, worker: 'w3' }))?.spec).toEqual({ kind: 'probe', sizeBytes: 1000 });
  });

  test('of a job that was cancelled is dropped', async () => {
    await cancelJob((await job())!);
    await reportDone(caller, { lease: lease.id, result });
    expect(await job()).toMatchObject({ status: 'CANCELLED' });
    expect(await cpuMs()).toBe(0);
  });

  test('that does not match the schema is refused, which is a failure to retry', async () => {
    const refused = reportDone(caller, { lease: lease.id, result: { ...result, durationSeconds: 'long' } });
    await expect(refused).rejects.toBeInstanceOf(ValidationFailed);
    expect(await job()).toMatchObject({ status: 'FAILED', error: { code: 'RESULT_REFUSED', fatal: false } });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Job.Transient' });
  });

  test('with invalid metadata of the source is stored without it', async () => {
    const stream = { index: 0, codec_name: 'h264' };
    const meta = { streams: [{ ...stream, width: 2 ** 40, side_data_list: [{ rotation: -(2 ** 63) }] }] };
    await reportDone(caller, { lease: lease.id, result: { ...result, meta } });
    expect(await job()).toMatchObject({ status: 'DONE', result: { meta: { streams: [stream] } } });
  });

  test.each([1e-200, Number.MAX_SAFE_INTEGER + 3])(
    'with a number that is not to be stored, %d, is refused',
    async (n) => {
      const refused = reportDone(caller, { lease: lease.id, result: { ...result, sizeBytes: n } });
      await expect(refused).rejects.toBeInstanceOf(ValidationFailed);
    },
  );

  test('under an invented lease changes nothing', async () => {
    const invented = lease.id.replace(/[^.]+$/, 'AAAAAAAAAAAAAAAA');
    await reportDone(caller, { lease: invented, result });
    await reportDone(caller, { lease: 'x', result });
    expect(await job()).toMatchObject({ status: 'LEASED' });
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

  test('of a stopped worker counts as a lost worker, which is retried at once', async () => {
    await reportFailed({
      lease: lease.id,
      code: 'WORKER_STOPPED',
      fatal: false,
      message: 'The worker is shutting down.',
    });
    expect(states.commandCalls(SendTaskFailureCommand)[0]?.args[0].input).toMatchObject({ error: 'Worker.Lost' });
  });
});

describe('CPU time', () => {
  /** What operators see, in milliseconds. */
  const spentMs = async (): Promise<number> => (await listAnalytics(day(), day())).get(day())?.cpuMs ?? 0;
  const failure = () => ({ lease: lease.id, code: 'DISK_FULL', fatal: false, message: 'full' });
  const notTaken = async (act: () => Promise<unknown>, again = act): Promise<number> => {
    const before = await spentMs();
    await act();
    await again();
    expect(await cpuMs()).toBe(0);
    return (await spentMs()) - before;
  };

  test('of a failed attempt is counted once, in the analytics only', async () => {
    await reportFailed(failure());
    expect(await notTaken(() => countUnusedCpu(lease.id, 2.5))).toBe(2500);
  });

  test('of an attempt slower than another one is counted once, in the analytics only', async () => {
    const second = await passedOn();
    const before = await spentMs();
    await reportDone(caller, { lease: lease.id, result });
    for (let n = 0; n < 2; n++) await reportDone(caller, { lease: second.id, result: { ...result, cpuSeconds: 4 } });
    expect((await spentMs()) - before).toBe(5500);
    expect(await cpuMs()).toBe(1500);
  });

  test('of a deleted video is counted in the analytics only', async () => {
    await transact(videoDeletion((await findVideo(upload.ulid))!));
    expect(await notTaken(() => reportDone(caller, { lease: lease.id, result }))).toBe(1500);
  });

  test('of a stored result is not counted again as unused', async () => {
    await reportDone(caller, { lease: lease.id, result });
    const before = await spentMs();
    await countUnusedCpu(lease.id, 1.5);
    expect(await spentMs()).toBe(before);
  });

  test.each([undefined, -1, Number.NaN, 1e9, '2'])('that is reported as %j is not counted', async (said) => {
    expect(await notTaken(() => countUnusedCpu(lease.id, said))).toBe(0);
  });

  test('of zero makes no usage row', async () => {
    await reportDone(caller, { lease: lease.id, result: { ...result, cpuSeconds: 0 } });
    const rows = await listUsage(upload.ownerUlid, '2000-01-01', '2999-01-01');
    expect(rows.filter(({ metric }) => metric === 'encoding_cpu')).toEqual([]);
  });
});
