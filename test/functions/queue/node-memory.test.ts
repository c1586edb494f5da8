import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { neededMib } from '../../../functions/queue/node-memory.ts';
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

const rungs = (codec: VideoCodec, ...heights: number[]) =>
  heights.map((height) => ({ codec, height, width: Math.round((height * 16) / 9) }));

test('a ladder of 1080p fits a container of the smallest size, one of 2160p needs the 2,000 MiB of the requirements', () => {
  expect(neededMib(rungs('h264', 1080, 720, 480, 360, 240))).toBeLessThan(900);
  const large = neededMib(rungs('h264', 2160, 1440, 1080, 720, 480, 360));
  // what was measured, with a margin
  expect(large).toBeGreaterThan(1720 * 1.1);
  expect(large).toBeLessThan(2000);
});

test.each([
  ['vp9', 735, 2018],
  ['hevc', 1090, 2621],
  ['av1', 1407, 3846],
] as const)('ladders of %s need at least what their ffmpeg was measured to need', (codec, of1080, of2160) => {
  const [h264, other] = (['h264', codec] as const).map((each) => ({
    small: neededMib(rungs(each, 1080, 720, 480, 240)),
    large: neededMib(rungs(each, 2160, 1080, 720, 480, 240)),
  }));
  // with 609 and 1873 MiB for H.264, in the same run
  expect(other!.small - h264!.small).toBeGreaterThan((of1080 - 609) * 0.9);
  expect(other!.large - h264!.large).toBeGreaterThan((of2160 - 1873) * 0.9);
  const mixed = [...rungs(codec, 1080), ...rungs('h264', 720)];
  expect(neededMib(mixed)).toBeGreaterThan(neededMib(rungs('h264', 1080, 720)));
  expect(neededMib(mixed)).toBeLessThan(neededMib(rungs(codec, 1080, 720)));
});

beforeEach(async () => {
  await clearQueue();
  vi.useFakeTimers({ toFake: ['Date'] });
  const { user } = await createPerson();
  const { ulid: videoUlid, ownerUlid } = await storeChunkedVideo(user, 1);
  const id = { videoUlid, planNumber: 1, kind: 'encode-video' as const, group: 0, index: 0 };
  const queueing = { ownerUlid, virtualTimeSeconds: 0 };
  await queueJob(id, { taskToken: 'token', estimateSeconds: 10, workUnits: 1, ...queueing });
});
afterEach(() => {
  vi.useRealTimers();
});

const lease = (memoryMib?: number) => leaseNext({ node: 'node', worker: 'w1', epoch: 'e', memoryMib });

test.each([undefined, 2000])('a job is leased to a worker with %s MiB', async (memoryMib) => {
  expect(await lease(memoryMib)).toMatchObject({ kind: 'encode-video' });
});

test('a job is left to workers with more memory, but not for ever', async () => {
  expect(await lease(300)).toBeUndefined();
  vi.setSystemTime(Date.now() + 601_000);
  expect(await lease(300)).toMatchObject({ kind: 'encode-video' });
});
