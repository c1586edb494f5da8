import { rm } from 'node:fs/promises';
import { measureQuality } from '../../../encoder-task/jobs/quality.ts';
import { planTracks } from '../../../functions/planning/plan-tracks.ts';
import { planVideo } from '../../../functions/planning/plan-video.ts';
import { decideRungs } from '../../../functions/planning/quality/decide-rungs.ts';
import { decidedPlan, keptTracks } from '../../../functions/planning/quality/decided-plan.ts';
import { affordableMeasurements, planMeasurement } from '../../../functions/planning/quality/quality-plan.ts';
import type { EncodeGroup } from '../../../functions/planning/video/encode-groups.ts';
import { contextFor } from '../../../test/encoder-task/support/context.ts';
import { capacity, ladderQuery, type Source } from './encode-rungs.ts';

/** Half of a clip is measured. Of a long video it is less, of a video as short as a clip nothing at all. */
const measuredSeconds = 2;

type Decided = {
  /** as they are encoded after the measurement */
  groups: EncodeGroup[];
  /** of the measurement, if the clip were a part of a long video with the same share of samples */
  cpuSeconds: number;
};

/** Measures a clip, and decides the ladder of constant quality. */
export async function decideQuality({ store, probe, frames }: Source, ladder: object): Promise<Decided> {
  const query = ladderQuery({ ...ladder, mode: 'quality' });
  const plan = planVideo({ probe, frames, query, capacity });
  // As most of a long video: only its first segments are encoded before the decision.
  const later = { ...plan, groups: plan.groups.map((group) => ({ ...group, phase: 1 as const })) };
  const { variants } = planTracks(probe, query);
  const encodes = { source: plan.source!, groups: later.groups, variants: variants.video, presentation: plan };
  const [ofAllRungs] = affordableMeasurements(encodes);
  const measured = ofAllRungs && { ...ofAllRungs, totalSeconds: measuredSeconds };
  const quality = measured && planMeasurement(encodes, { track: probe.video!, frames }, measured);
  if (!quality) throw new Error('There is nothing to measure');
  const context = await contextFor(store, quality.spec, { inputs: ['source'] });
  try {
    const result = await measureQuality(context);
    return {
      groups: decidedPlan(later, decideRungs(quality, result, keptTracks(later))).groups,
      cpuSeconds: (result.cpuSeconds * ofAllRungs.totalSeconds) / measuredSeconds,
    };
  } finally {
    await rm(context.folder, { recursive: true });
  }
}
