import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { measureQuality } from '../../../encoder-task/jobs/quality.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { type JobResult, jobResultSchemas, type QualitySpec } from '../../../shared/protocol/jobs.ts';
import { h264, useStoreAndFolder } from '../support/clips.ts';
import { contextFor } from '../support/context.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { planFor, smallRung } from '../support/plan.ts';
import { probeFile } from '../support/run-jobs.ts';

const files = useStoreAndFolder();

type Limits = { targetXpsnrDb?: number; capBps?: number };
type Options = Limits & { noise?: number; spoil?: (source: Buffer) => void };

/** By default no quality suffices and no bitrate is too high, so that each rung has the first and the finer quality. */
async function measure(
  rungs: Rung[],
  { targetXpsnrDb = 100, capBps = Number.POSITIVE_INFINITY, noise = 20, spoil = () => undefined }: Options = {},
): Promise<JobResult<'quality'> & { spec: QualitySpec }> {
  const file = files.path('source.mp4');
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=4', '-vf', `noise=alls=${noise}:allf=t`];
  await ffmpeg(...picture, ...h264, '-movflags', '+faststart', file);
  const probed = await probeFile(files.store, file);
  spoil(files.store.objects.get('source')!);
  const { source, grid, chunks } = planFor(probed, files.store.objects.get('index.json.gz')!);
  const crfs = { firstCrf: 35, finerCrf: 20, coarserCrf: 45 };
  const trials = rungs.map((rung) => ({ rung, ...crfs, targetXpsnrDb, capBps }));
  const spec: QualitySpec = { kind: 'quality', source, grid, samples: [chunks[0]!, chunks.at(-1)!], trials };
  const context = await contextFor(files.store, spec, { inputs: ['source'], outputs: [] });
  try {
    return { ...jobResultSchemas.quality.parse(await measureQuality(context)), spec };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

/** The points of one rung and sample, by CRF. */
const pairs = (points: JobResult<'quality'>['points']) =>
  [...Map.groupBy(points, ({ rung, sample }) => `${rung} ${sample}`).values()].map((each) =>
    each.toSorted((a, b) => a.crf - b.crf),
  );

test('samples are encoded with two qualities of each rung: a higher CRF gives less quality in fewer bytes', async () => {
  const rungs = [smallRung('90p'), smallRung('180p', { width: 320, height: 180 })];
  const { points, crfStep, cpuSeconds, spec } = await measure(rungs);
  expect(cpuSeconds).toBeGreaterThan(0);
  expect(crfStep).toBe(0.25);
  expect(points.map(({ rung, crf, sample, frames }) => [rung, crf, sample, frames])).toEqual(
    [35, 20].flatMap((crf) =>
      spec.samples.flatMap(({ index, startFrame, endFrame }) =>
        ['90p', '180p'].map((name) => [name, crf, index, endFrame - startFrame]),
      ),
    ),
  );
  for (const [fine, coarse] of pairs(points)) {
    expect(fine!.xpsnrDb - coarse!.xpsnrDb).toBeGreaterThan(3);
    expect(fine!.bytes).toBeGreaterThan(2 * coarse!.bytes);
    for (const { bytes, keyFrameBytes } of [fine!, coarse!]) expect(keyFrameBytes).toBeLessThan(bytes);
    for (const { xpsnrDb } of [fine!, coarse!]) expect(xpsnrDb).toSatisfy((db: number) => db > 20 && db < 60);
  }
});

test.each([
  ['that has more than the target with the first quality', { targetXpsnrDb: 20 }],
  ['that needs more than its maximum with the first quality', { capBps: 1000 }],
] as [string, Limits][])('a rung %s is measured with a coarser one', async (_, limits) => {
  const { points } = await measure([smallRung('90p')], limits);
  for (const pair of pairs(points)) {
    expect(pair.map(({ crf }) => crf)).toEqual([35, 45]);
    expect(pair[1]!.bytes).toBeLessThan(pair[0]!.bytes);
  }
});

test.each([
  ['HEVC with 10 bits', { codec: 'hevc', pixelFormat: 'yuv420p10le', preset: 'ultrafast' }],
  ['VP9', { codec: 'vp9', preset: 'ultrafast' }],
  ['AV1', { codec: 'av1', preset: 'ultrafast' }],
] as [string, Partial<Rung>][])('%s is measured', async (_, more) => {
  const { points } = await measure([smallRung('90p', more)]);
  expect(points).toHaveLength(4);
  const [fine, coarse] = pairs(points)[0]!;
  expect(fine!.xpsnrDb - coarse!.xpsnrDb).toBeGreaterThan(1);
  expect(fine!.bytes).toBeGreaterThan(coarse!.bytes);
});

test('a sample of which no frame can be decoded is left out', async () => {
  const spoil = (source: Buffer): void => void source.fill(0, Math.floor(source.length / 2));
  // another clip, because the worker keeps bytes of the last one
  const { points, spec } = await measure([smallRung('90p')], { noise: 15, spoil });
  expect(spec.samples).toHaveLength(2);
  expect(points.map(({ crf, sample, frames }) => [crf, sample, frames])).toEqual([
    [35, 0, spec.samples[0]!.endFrame],
    [20, 0, spec.samples[0]!.endFrame],
  ]);
});
