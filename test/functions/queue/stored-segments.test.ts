import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { documents } from '../../../functions/aws/table-client.ts';
import { ValidationFailed } from '../../../functions/common/errors.ts';
import { expireEarlierEpochs } from '../../../functions/queue/expire-leases.ts';
import { handleFileRequest } from '../../../functions/queue/lease-files.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone, reportRunning } from '../../../functions/queue/report.ts';
import { recordStored } from '../../../functions/table/jobs/job-leases.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob, requeueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { Lease, StoredSegments } from '../../../shared/protocol/jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { createChunkResult, storeChunkedVideo } from '../../fixtures/records/store-chunked-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
mockClient(SFNClient);

const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };
const codecs = { v: 'avc1.42c01e' };
let ownerUlid: string;
let videoUlid: string;
let lease: Lease;
const id = () => ({ videoUlid, planNumber: 1, kind: 'encode-video' as const, group: 0, index: 0 });
const job = async () => (await findJob(id()))!;
const queueing = () => ({ ownerUlid, virtualTimeSeconds: 0 });
const report = (segments: number, more: Partial<StoredSegments> = {}, of = lease) =>
  reportRunning(caller, { lease: of.id, progress: 0, stored: { segments, run: 1, codecs, ...more } });

/** The job, of four segments, after its worker was given up and another one has it. */
async function passedOn(): Promise<Lease> {
  await expireEarlierEpochs({ ...caller, epoch: 'e2' });
  await requeueJob(await job(), 'token-2', queueing());
  return (await leaseNext({ ...caller, worker: 'w2' }))!;
}

beforeEach(async () => {
  await clearQueue();
  const { user } = await createPerson();
  ownerUlid = user.ulid;
  videoUlid = (await storeChunkedVideo(user, 1, { segmentsPerChunk: 4, starter: { rung: 'v' } })).ulid;
  await queueJob(id(), { taskToken: 'token', estimateSeconds: 10, workUnits: 1, ...queueing() });
  lease = (await leaseNext(caller))!;
});

describe('the lease of a plan with a starter', () => {
  test('asks for reports of stored segments, and has the URLs of the first run of the encoder only', async () => {
    expect(lease.spec).toMatchObject({ reportsSegments: true });
    const segments = ['v/00000.m4s', 'v/00001.m4s', 'v/00002.m4s', 'v/00003.m4s'];
    expect(Object.keys(lease.outputs)).toEqual(['v/init.mp4', ...segments]);
    const { urls = {} } = await handleFileRequest({ ask: 'outputs', lease: lease.id, from: 'v/r2-init.mp4' }, caller);
    expect(Object.keys(urls)).toEqual(['v/r2-init.mp4', ...segments.map((file) => file.replace('v/', 'v/r2-'))]);
  });
});

describe('a report of stored segments', () => {
  test('is stored with the attempt, in one write that does not renew the lease', async () => {
    const before = (await job()).leaseExpiresAt;
    const send = vi.spyOn(documents, 'send');
    expect(await report(2)).toBe(true);
    const calls = send.mock.calls.map(([command]) => command.constructor.name);
    send.mockRestore();
    // The others are those of the growing playlists, which are extended at most every few seconds.
    expect(calls).toEqual(['BatchGetCommand', 'UpdateCommand', 'PutCommand', 'QueryCommand']);
    expect(await job()).toMatchObject({
      stored: { attempt: 1, segments: 2, run: 1, codecs },
      leaseExpiresAt: before,
      progress: 0,
    });
  });

  test('is stored by the write that renews the lease, when that is due', async () => {
    const before = (await job()).leaseExpiresAt!;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    await report(1);
    vi.useRealTimers();
    const { stored, leaseExpiresAt = '' } = await job();
    expect(stored).toMatchObject({ segments: 1 });
    expect(leaseExpiresAt > before).toBe(true);
  });

  test('only adds: a smaller or equal count of the same run is not written', async () => {
    await report(3);
    await report(1);
    expect(await job()).toMatchObject({ stored: { segments: 3 } });
    const send = vi.spyOn(documents, 'send');
    await report(3);
    const calls = send.mock.calls.map(([command]) => command.constructor.name);
    send.mockRestore();
    expect(calls).toEqual(['BatchGetCommand']);
  });

  test('that arrives after a later one of the same worker changes nothing', async () => {
    const read = await job();
    await report(3);
    expect(await recordStored(read, lease.id, { attempt: 1, segments: 2, run: 1, codecs })).toBe(false);
    const readAgain = await job();
    await report(4);
    expect(await recordStored(readAgain, lease.id, { attempt: 1, segments: 3, run: 1, codecs })).toBe(false);
    expect(await job()).toMatchObject({ stored: { segments: 4 } });
  });

  test('of the second run counts from the start, and the first run is not stored any more', async () => {
    await report(3);
    await report(1, { run: 2 });
    await report(4);
    expect(await job()).toMatchObject({ stored: { segments: 1, run: 2 } });
  });

  test('of a worker whose job another worker has is not stored', async () => {
    await report(3);
    const second = await passedOn();
    expect(await report(4)).toBe(true);
    expect(await job()).toMatchObject({ stored: { attempt: 1, segments: 3 } });
    await reportRunning(
      { ...caller, worker: 'w2' },
      { lease: second.id, progress: 0, stored: { segments: 1, run: 1, codecs } },
    );
    expect(await job()).toMatchObject({ stored: { attempt: 2, segments: 1 } });
  });

  test('is refused when it has more segments than the job, or other tracks', async () => {
    const refused = { errors: { 'running.stored': [expect.stringContaining('4 segments')] } };
    await expect(report(5)).rejects.toMatchObject(refused);
    await expect(report(1, { codecs: {} })).rejects.toBeInstanceOf(ValidationFailed);
    await expect(report(1, { codecs: { ...codecs, w: 'avc1.42c01e' } })).rejects.toBeInstanceOf(ValidationFailed);
    expect(await job()).not.toHaveProperty('stored');
  });

  test('of the second run is followed by a result with its files', async () => {
    await report(4, { run: 2 });
    const result = JSON.stringify(createChunkResult(lease)).replaceAll('"v/', '"v/r2-');
    await reportDone(caller, { lease: lease.id, result: JSON.parse(result) });
    const { status, result: stored } = await job();
    expect(status).toBe('DONE');
    expect(JSON.stringify(stored)).toContain('"v/r2-00003.m4s"');
  });

  test('is forgotten when the job is done', async () => {
    await report(4);
    await reportDone(caller, { lease: lease.id, result: createChunkResult(lease) });
    const done = await job();
    expect(done).toMatchObject({ status: 'DONE' });
    expect(done).not.toHaveProperty('stored');
  });
});
