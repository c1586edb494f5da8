import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Caller } from '../../../functions/queue/caller.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { clearQueue } from '../../fixtures/records/queue-probe.ts';
import { storeChunkedVideo } from '../../fixtures/records/store-chunked-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
mockClient(SFNClient);

beforeEach(async () => {
  await clearQueue();
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Queues the chunks of a video, each in `codecs`. */
async function queueChunks(count: number, { codecs, memoryMib }: { codecs?: VideoCodec[]; memoryMib?: number }) {
  const { user } = await createPerson();
  const { ulid: videoUlid, ownerUlid } = await storeChunkedVideo(user, count);
  for (let index = 0; index < count; index++) {
    const id = { videoUlid, planNumber: 1, kind: 'encode-video' as const, group: 0, index };
    const size = { estimateSeconds: 10, workUnits: 1, memoryMib, codecs };
    await queueJob(id, { taskToken: 'token', ...size, ownerUlid, virtualTimeSeconds: index });
  }
}

let workers = 0;
const lease = (suits: Pick<Caller, 'memoryMib' | 'encoders'>) =>
  leaseNext({ node: 'node', worker: `w${workers++}`, epoch: 'e', ...suits });

const older = { encoders: { h264: 'libx264 164', av1: 'libsvtav1 2.3.0' } };
const newer = { encoders: { h264: 'libx264 164', av1: 'libsvtav1 4.2.0' } };

test.each([undefined, 2000])('a job is leased to a worker with %s MiB', async (memoryMib) => {
  await queueChunks(1, { memoryMib: 400 });
  expect(await lease({ memoryMib })).toMatchObject({ kind: 'encode-video' });
});

test('a job is left to workers with more memory, but not for ever', async () => {
  await queueChunks(1, { memoryMib: 400 });
  expect(await lease({ memoryMib: 300 })).toBeUndefined();
  vi.setSystemTime(Date.now() + 601_000);
  expect(await lease({ memoryMib: 300 })).toMatchObject({ kind: 'encode-video' });
});

test('the chunks of a video are encoded by the version of the encoder that encodes the first one', async () => {
  await queueChunks(3, { codecs: ['av1'] });
  expect(await lease(older)).toBeDefined();
  expect(await lease(newer)).toBeUndefined();
  expect(await lease(older)).toBeDefined();
  // Chunks of other videos are free.
  await queueChunks(1, { codecs: ['av1'] });
  expect(await lease(newer)).toBeDefined();
  // The older workers are gone for ever.
  expect(await lease(newer)).toBeUndefined();
  vi.setSystemTime(Date.now() + 601_000);
  expect(await lease(newer)).toBeDefined();
});

test('versions of other codecs do not matter', async () => {
  await queueChunks(2, { codecs: ['h264'] });
  expect(await lease(older)).toBeDefined();
  expect(await lease(newer)).toBeDefined();
});

test('of two workers that ask at once, one decides the version', async () => {
  await queueChunks(2, { codecs: ['av1', 'h264'] });
  const leases = await Promise.all([lease(older), lease(newer)]);
  expect(leases.filter((each) => each !== undefined)).toHaveLength(1);
});

test('a worker without an encoder never gets a job for it, and gets others', async () => {
  await queueChunks(1, { codecs: ['hevc'] });
  expect(await lease(newer)).toBeUndefined();
  vi.setSystemTime(Date.now() + 601_000);
  expect(await lease(newer)).toBeUndefined();
  await queueChunks(1, { codecs: ['h264'] });
  expect(await lease(newer)).toBeDefined();
  expect(await lease({ encoders: { hevc: 'libx265 4.1' } })).toBeDefined();
});

test('a worker that does not know its encoders yet gets any job, and decides no version', async () => {
  await queueChunks(3, { codecs: ['av1'] });
  expect(await lease({})).toBeDefined();
  expect(await lease(newer)).toBeDefined();
  expect(await lease({})).toBeDefined();
});
