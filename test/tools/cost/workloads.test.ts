import { expect, test } from 'vitest';
import { assumedTracks } from '../../../functions/estimates/assumed-tracks.ts';
import { planTracks } from '../../../functions/planning/plan-tracks.ts';
import { chunkRanges } from '../../../functions/planning/video/chunks.ts';
import { phasedGroups } from '../../../functions/planning/video/phases.ts';
import { rungGroups } from '../../../functions/planning/video/rung-groups.ts';
import { unknownContent } from '../../../functions/planning/video/source-content.ts';
import { chooseStarter } from '../../../functions/planning/video/starter.ts';
import { presets } from '../../../functions/templates/presets.ts';
import { templateQuerySchema } from '../../../functions/templates/template-query.ts';
import { settingsOf } from '../../../infra/settings.ts';
import { dollarsOf, videoCost } from '../../../shared/pricing/video-cost.ts';
import { workloads, workOf } from '../../../tools/cost/workloads.ts';

test('every built-in template has a measurement', () => {
  expect(workloads.map(({ template }) => template).toSorted()).toEqual(presets.map(({ slug }) => slug).toSorted());
});

test('ten minutes that play while they are encoded are three short chunks and nineteen of the default length', () => {
  expect(workOf(workloads[0]!, 10)).toMatchObject({
    durationSeconds: 600,
    cpuSeconds: 2900,
    chunks: 22,
    renditions: 5,
  });
});

test('without segments to play, or renditions that follow the first, chunks have the default length', () => {
  const chunksOf = (slug: string) => workOf(workloads.find(({ template }) => template === slug)!, 10).chunks;
  expect(['hls-ts-compat', 'mp4-720p', 'audio-only'].map(chunksOf)).toEqual([20, 20, 0]);
});

test('the model has as many chunks as a plan for many workers', () => {
  const query = templateQuerySchema.parse(presets.find(({ slug }) => slug === 'hls-auto-1080p')!.query);
  const tracks = assumedTracks({ width: 1920, height: 1080, fps: 30, durationSeconds: 600 });
  const { variants, outputs } = planTracks(tracks, query);
  const groups = phasedGroups(rungGroups(tracks.video, variants.video, { originSeconds: 0, durationSeconds: 600 }), {
    starter: chooseStarter(outputs, variants.video),
    capacity: Number.POSITIVE_INFINITY,
    workers: 100,
    content: unknownContent({ width: 1920, height: 1080 }),
    targetChunkSeconds: query.chunk_duration,
  });
  const planned = groups.reduce((sum, group) => sum + chunkRanges(group.grid, group).length, 0);
  expect(workOf(workloads[0]!, 10).chunks).toBe(planned);
});

test('the costs of every built-in template are mostly encoding', () => {
  for (const { encoding, ...rest } of workloads.map((one) =>
    videoCost(workOf(one, 10), settingsOf('prod').workers, 0),
  )) {
    if (encoding > 0.01) expect(dollarsOf(rest)).toBeLessThan(encoding);
  }
});
