import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeAll, describe, expect, test } from 'vitest';
import { finishedJobs } from '../../../functions/job-results/job-results.ts';
import type { Plan } from '../../../functions/planning/encoding-plan.ts';
import { leaseNext } from '../../../functions/queue/lease-next.ts';
import { reportDone } from '../../../functions/queue/report.ts';
import { keepPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { findJob } from '../../../functions/table/jobs/job-table.ts';
import { queueJob } from '../../../functions/table/jobs/queued-jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { finishJob } from '../../fixtures/records/store-encoded-video.ts';
import { storeVideo } from '../../fixtures/records/store-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useTable } from '../../fixtures/use-table.ts';
import { audioTrack, probeOf } from '../planning/source-fixture.ts';

useTable();
useBucket();
mockClient(SFNClient);

const segmentSeconds = 6;
const rendition = {
  name: 'stereo-with-a-long-name',
  streamIndex: 1,
  codec: 'aac',
  bitrateBps: 128_000,
  channels: 2,
  sampleRateHz: 48_000,
  language: 'en',
  loudnessLufs: null,
  segmentSeconds,
};
const caller = { node: 'pool', worker: 'w1', epoch: 'e1' };

/** A video in work of which one audio track is queued, and what its worker would say of it. */
async function queuedAudio(durationSeconds: number) {
  const { user } = await createPerson();
  const { video } = await storeVideo(user, { status: 'running' });
  const audio = audioTrack({ streamIndex: 1, durationSeconds });
  await finishJob(
    { videoUlid: video.ulid, planNumber: 0, kind: 'probe', group: 0, index: 0 },
    probeOf({ video: null, audio: [audio], durationSeconds }),
  );
  const plan = { originSeconds: 0, durationSeconds, groups: [], audio: [rendition], outputs: [], carried: {} };
  await keepPlan(video.ulid, 1, plan as unknown as Plan);
  const id = { videoUlid: video.ulid, planNumber: 1, kind: 'encode-audio' as const, group: 0, index: 0 };
  const facts = { kind: id.kind, taskToken: 'token', estimateSeconds: 10, workUnits: 1 };
  await queueJob(id, { ...facts, ownerUlid: user.ulid, virtualTimeSeconds: 0 });
  const segments = Array.from({ length: Math.ceil(durationSeconds / segmentSeconds) }, (_, n) => ({
    file: `${rendition.name}/${String(n).padStart(5, '0')}.m4s`,
    bytes: 96_000 + n,
    startTicks: n * segmentSeconds * 48_000,
    durationTicks: segmentSeconds * 48_000,
  }));
  const init = { file: `${rendition.name}/init.mp4`, bytes: 700, sha256: '0'.repeat(64) };
  const track = { name: rendition.name, codecs: 'mp4a.40.2', timescale: 48_000, init, segments };
  const result = { track, durationSeconds, warnings: ['Some sound cannot be decoded.'], cpuSeconds: 600 };
  return { id, result };
}

describe.each([
  ['a day of audio, which no item of the table holds', 24 * 3600, 'object'],
  ['an hour of audio, of which a long video has many', 3600, 'object'],
  ['a minute of audio', 60, 'item'],
])('the result of %s', (_, durationSeconds, place) => {
  let id: Awaited<ReturnType<typeof queuedAudio>>['id'];
  let result: Awaited<ReturnType<typeof queuedAudio>>['result'];
  beforeAll(async () => {
    ({ id, result } = await queuedAudio(durationSeconds));
    const lease = await leaseNext(caller);
    await reportDone(caller, { lease: lease!.id, result });
  });

  test(`is accepted and stored in the ${place}`, async () => {
    const job = (await findJob(id))!;
    expect(job).toMatchObject({ status: 'DONE', attempt: 1, warnings: result.warnings });
    expect(job.resultKey !== undefined).toBe(place === 'object');
    expect(job.result !== undefined).toBe(place === 'item');
  });

  test('is read as it was reported', async () => {
    const { warnings: _, ...sent } = result;
    expect(await finishedJobs(id.videoUlid, 1, 'encode-audio')).toEqual([
      { group: 0, index: 0, attempt: 1, result: sent },
    ]);
  });

  test('is an object in the plans folder of its video', async () => {
    const { resultKey } = (await findJob(id))!;
    if (resultKey === undefined) return;
    expect(resultKey.startsWith(`plans/${id.videoUlid}/`)).toBe(true);
    const { Body } = await new S3Client({}).send(new GetObjectCommand({ Bucket: 'test-bucket', Key: resultKey }));
    expect((await Body!.transformToString()).length).toBeGreaterThan((durationSeconds / 86_400) * 1_000_000);
  });
});
