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

async function measure(rungs: Rung[], crfs: number[]): Promise<JobResult<'quality'> & { spec: QualitySpec }> {
  const file = files.path('source.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=4', '-vf', 'noise=alls=20:allf=t', ...h264, file);
  const probed = await probeFile(files.store, file);
  const { source, grid, chunks } = planFor(probed, files.store.objects.get('index.json.gz')!);
  const trials = rungs.map((rung) => ({ rung, crfs }));
  const spec: QualitySpec = { kind: 'quality', source, grid, samples: [chunks[0]!, chunks.at(-1)!], trials };
  const context = await contextFor(files.store, spec, { inputs: ['source'], outputs: [] });
  try {
    return { ...jobResultSchemas.quality.parse(await measureQuality(context)), spec };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}

test('samples are encoded with each CRF of each rung: a higher CRF gives less quality in fewer bytes', async () => {
  const rungs = [smallRung('90p'), smallRung('180p', { width: 320, height: 180 })];
  const { points, cpuSeconds, spec } = await measure(rungs, [20, 35]);
  expect(cpuSeconds).toBeGreaterThan(0);
  expect(points.map(({ rung, crf, sample, frames }) => [rung, crf, sample, frames])).toEqual(
    spec.samples.flatMap(({ index, startFrame, endFrame }) =>
      ['90p', '180p'].flatMap((name) => [20, 35].map((crf) => [name, crf, index, endFrame - startFrame])),
    ),
  );
  for (let at = 0; at < points.length; at += 2) {
    const [fine, coarse] = [points[at]!, points[at + 1]!];
    expect(fine.xpsnrDb - coarse.xpsnrDb).toBeGreaterThan(3);
    expect(fine.bytes).toBeGreaterThan(2 * coarse.bytes);
    for (const { bytes, keyFrameBytes } of [fine, coarse]) expect(keyFrameBytes).toBeLessThan(bytes);
    for (const { xpsnrDb } of [fine, coarse]) expect(xpsnrDb).toSatisfy((db: number) => db > 20 && db < 60);
  }
});

test.each([
  ['HEVC with 10 bits', { codec: 'hevc', pixelFormat: 'yuv420p10le', preset: 'ultrafast' }],
  ['VP9', { codec: 'vp9', preset: 'ultrafast' }],
  ['AV1', { codec: 'av1', preset: 'ultrafast' }],
] as [string, Partial<Rung>][])('%s is measured', async (_, more) => {
  const { points } = await measure([smallRung('90p', more)], [20, 45]);
  expect(points).toHaveLength(4);
  expect(points[0]!.xpsnrDb - points[1]!.xpsnrDb).toBeGreaterThan(2);
  expect(points[0]!.bytes).toBeGreaterThan(points[1]!.bytes);
});
