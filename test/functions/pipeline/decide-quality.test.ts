import { beforeEach, expect, test } from 'vitest';
import { deleteObjects, readObject } from '../../../functions/aws/object-store.ts';
import { handler as decideQuality } from '../../../functions/pipeline/decide-quality.lambda.ts';
import { handler as plan } from '../../../functions/pipeline/plan.lambda.ts';
import { composeLease } from '../../../functions/queue/compose-lease.ts';
import { sizeJob } from '../../../functions/queue/size-job.ts';
import { keepDecision } from '../../../functions/stored-plans/stored-decision.ts';
import { readPlan } from '../../../functions/stored-plans/stored-plans.ts';
import { queryItems } from '../../../functions/table/items/items.ts';
import { keys } from '../../../functions/table/items/keys.ts';
import type { User, VideoJob } from '../../../functions/table/records.ts';
import { findVideoOfPart } from '../../../functions/table/videos/find-by-id.ts';
import { findWholeVideo } from '../../../functions/table/videos/video-table.ts';
import { qualityKey } from '../../../shared/object-keys.ts';
import type { EncodeVideoSpec, JobResult, QualitySpec } from '../../../shared/protocol/jobs.ts';
import { createPerson } from '../../fixtures/create-person.ts';
import { encodeAll, endPipeline, finishJob, storePlannedVideo } from '../../fixtures/records/store-encoded-video.ts';
import { useBucket } from '../../fixtures/use-bucket.ts';
import { useEmptyPool } from '../../fixtures/use-empty-pool.ts';
import { useTable } from '../../fixtures/use-table.ts';

useTable();
useBucket();
useEmptyPool();

let owner: User;
beforeEach(async () => {
  ({ user: owner } = await createPerson());
});

const web = {
  ladder: { codec: 'h264', mode: 'quality' },
  outputs: [{ format: 'hls', segment_duration: 6 }],
};

/** A planned video of a minute whose quality is to be measured. */
async function planned() {
  const videoUlid = await storePlannedVideo(owner, web, 1800);
  return { videoUlid, planNumber: 1 };
}
type Event = Awaited<ReturnType<typeof planned>>;

/** The measurement finds that 1080p has the quality with few bytes, and the smaller rungs need nearly as many. */
async function measured(event: Event, changes: Partial<JobResult<'quality'>['points'][number]> = {}) {
  const point = (rung: string, crf: number, xpsnrDb: number, bytes: number) => ({
    rung,
    crf,
    xpsnrDb,
    bytes,
    keyFrameBytes: Math.round(bytes / 30),
    sample: 0,
    frames: 30,
    ...changes,
  });
  const points = ['240p', '360p', '480p', '720p', '1080p'].flatMap((rung, n) => [
    point(rung, 20, 50, 40_000 + 1000 * n),
    point(rung, 29, 44, 15_000 + 500 * n),
  ]);
  await finishJob({ ...event, kind: 'quality', group: 0, index: 0 }, { points, cpuSeconds: 1 });
}

const chunkJob = (event: Event, group: number, index: number) =>
  ({ ...event, kind: 'encode-video', group, index, attempt: 1, attempts: {}, lease: 'lease' }) as VideoJob;

const leasedRungs = async (event: Event, group: number) => {
  const { video } = (await findWholeVideo(event.videoUlid))!;
  const { spec } = await composeLease(chunkJob(event, group, 0), video);
  return (spec as EncodeVideoSpec).rungs.map(({ name, rate }) => `${name} ${rate.mode === 'crf' && rate.crf}`);
};
const streamsOf = async ({ videoUlid }: Event) => {
  const { streams } = (await findWholeVideo(videoUlid))!;
  return streams
    .filter(({ type }) => type === 'video')
    .map(({ name, status, inputParams }) => `${name} ${status} ${inputParams.crf}`);
};
const warningsOf = async ({ videoUlid }: Event) => {
  const { streams } = (await findWholeVideo(videoUlid))!;
  return streams.find(({ type }) => type === 'original')!.meta.warnings;
};

test('the first chunks do not wait for the measurement, whose lease has samples of the source', async () => {
  const event = await planned();
  const { chunks, waitingChunks, isMeasured } = await plan(event);
  expect(isMeasured).toBe(true);
  const listed = async ({ key }: { key: string }) => JSON.parse(new TextDecoder().decode(await readObject(key)));
  const first = await listed(chunks);
  const waiting = await listed(waitingChunks);
  const { groups, quality } = await readPlan(event.videoUlid, 1);
  expect(new Set(first.map(({ group }: { group: number }) => groups[group]!.phase))).toEqual(new Set([0]));
  expect([first.length, waiting.length]).toEqual([chunks.count, waitingChunks.count]);
  expect(first.length + waiting.length).toBe(groups.reduce((sum, group) => sum + group.chunks.length, 0));

  const { video } = (await findWholeVideo(event.videoUlid))!;
  const lease = await composeLease({ ...chunkJob(event, 0, 0), kind: 'quality' } as VideoJob, video);
  expect(lease).toMatchObject({ kind: 'quality', outputs: {}, limits: { wallSeconds: 600 } });
  expect((lease.spec as QualitySpec).trials).toEqual(quality!.spec.trials);
  const size = await sizeJob({ ...event, kind: 'quality', group: 0, index: 0 });
  expect(size).toMatchObject({ aheadSeconds: 0, isUrgent: false, codecs: ['h264'] });
});

test('only jobs that depend on the decision read it', async () => {
  const event = await planned();
  await plan(event);
  const first = await leasedRungs(event, 0);
  await deleteObjects(qualityKey(event.videoUlid, 1));
  expect(await leasedRungs(event, 0)).toEqual(first);
  const early = { ...event, group: 0, index: 0 };
  for (const kind of ['encode-video', 'encode-audio', 'quality'] as const) await sizeJob({ ...early, kind });
  await expect(leasedRungs(event, 1)).rejects.toThrow('does not exist');
});

test('chunks get the decided qualities, and rungs that bring no gain are left out of streams and outputs', async () => {
  const event = await planned();
  const { streams: all } = (await findWholeVideo(event.videoUlid))!;
  const before = await leasedRungs(event, 0);
  await measured(event);
  await decideQuality(event);
  expect(await leasedRungs(event, 0)).toEqual(before);
  expect(await leasedRungs(event, 1)).toEqual(['1080p 31']);
  // 360p is encoded completely in the first phase.
  expect(await streamsOf(event)).toEqual(['1080p pending 31', '360p pending 23']);
  const reason = (name: string) => expect.stringMatching(`^${name} is left out: .*\\.$`);
  expect(await warningsOf(event)).toEqual([reason('720p'), reason('480p'), reason('240p')]);
  // It is no failure, so that nothing is reported, and no id leads to it any more.
  expect(await queryItems(keys.event(owner.ulid, '').pk)).toEqual([]);
  const ids = all.filter(({ name }) => name === '720p').flatMap(({ id, ulid }) => [String(id), ulid]);
  expect(await Promise.all(ids.map((id) => findVideoOfPart('stream', id)))).toEqual([undefined, undefined]);

  const { outputs } = await plan(event);
  await encodeAll(event.videoUlid, 1);
  await endPipeline(event, outputs);
  const whole = (await findWholeVideo(event.videoUlid))!;
  expect(whole.video.status).toBe('completed');
  const master = new TextDecoder().decode(await readObject(whole.outputs[0]!.entryKey!));
  expect(master.match(/RESOLUTION=\S+x(\d+)/g)).toHaveLength(2);
  expect(await streamsOf(event)).toEqual(['1080p completed 31', '360p completed 23']);
});

test('the first decision counts: a late or repeated result changes nothing', async () => {
  const event = await planned();
  await measured(event);
  await decideQuality(event);
  const state = async () => [await leasedRungs(event, 1), await streamsOf(event), await warningsOf(event)];
  const before = await state();
  await measured(event, { xpsnrDb: 30, bytes: 1_000_000 });
  await decideQuality(event);
  expect(await state()).toEqual(before);
});

test('without a result, all rungs are encoded with the defaults', async () => {
  const event = await planned();
  await decideQuality(event);
  expect(await leasedRungs(event, 1)).toEqual(['1080p 23', '720p 23', '480p 23', '240p 23']);
  // The result of a job that ends after its state has failed.
  await measured(event);
  await decideQuality(event);
  expect(await leasedRungs(event, 1)).toEqual(['1080p 23', '720p 23', '480p 23', '240p 23']);
});

test('a video whose decision is stored, but not recorded, is completed without the rungs that are left out', async () => {
  const event = await planned();
  const leftOut = { '720p': '720p is left out: for the test.' };
  await keepDecision(event.videoUlid, 1, async () => ({ crf: { '1080p': 27.75 }, leftOut }));
  const { outputs } = await plan(event);
  expect(await leasedRungs(event, 1)).toContain('1080p 27.75');
  await encodeAll(event.videoUlid, 1);
  await endPipeline(event, outputs);
  const whole = (await findWholeVideo(event.videoUlid))!;
  expect(whole.video.status).toBe('completed');
  const shown = await streamsOf(event);
  expect(shown.map((stream) => stream.split(' ')[0])).toEqual(['1080p', '480p', '360p', '240p']);
  expect(shown).toContain('1080p completed 28');
  expect(await warningsOf(event)).toEqual([leftOut['720p']]);
});
