import { rm } from 'node:fs/promises';
import { measureQuality } from '../../../encoder-task/jobs/quality.ts';
import { planTracks } from '../../../functions/planning/plan-tracks.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { decideRungs } from '../../../functions/planning/quality/decide-rungs.ts';
import { decidedPlan, keptTracks } from '../../../functions/planning/quality/decided-plan.ts';
import { planMeasurement } from '../../../functions/planning/quality/quality-plan.ts';
import type { EncodeGroup } from '../../../functions/planning/video/encode-groups.ts';
import { contextFor } from '../../encoder-task/support/context.ts';
import { capacity, ladderQuery, type Source } from './encode-rungs.ts';

/** Half of a clip is measured. Of a long video it is less, of a video as short as a clip nothing at all. */
const sampleSeconds = 2;

/** The groups of a ladder of constant quality as they are encoded after the measurement of the source. */
export async function decideQuality({ store, probe, frames }: Source, ladder: object): Promise<EncodeGroup[]> {
  const query = ladderQuery({ ...ladder, mode: 'quality' });
  const plan = planVideo({ probe, frames, query, capacity });
  // As most of a long video: only its first segments are encoded before the decision.
  const later = { ...plan, groups: plan.groups.map((group) => ({ ...group, phase: 1 as const })) };
  const quality = planMeasurement(
    { source: plan.source!, groups: later.groups, variants: planTracks(probe, query).variants.video },
    { track: probe.video!, frames },
    sampleSeconds,
  );
  if (!quality) throw new Error('There is nothing to measure');
  const context = await contextFor(store, quality.spec, { inputs: ['source'] });
  try {
    const { points } = await measureQuality(context);
    return decidedPlan(later, decideRungs(quality, points, keptTracks(later))).groups;
  } finally {
    await rm(context.folder, { recursive: true });
  }
}
