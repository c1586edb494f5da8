import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import {
  estimatedAudioSeconds,
  estimatedCpuSeconds,
  estimatedThumbnailSeconds,
  usualSeconds,
} from '../planning/estimated-cpu-seconds.ts';
import { qualityCpuSeconds } from '../planning/quality/quality-plan.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { chunkUnits } from '../planning/work-part.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import type { JobId } from '../table/job-id.ts';
import { neededMib } from './node-memory.ts';
import { isUrgent } from './urgency/is-urgent.ts';

type Size = {
  estimateSeconds: number;
  /** what it adds to the progress of the outputs it is for */
  workUnits: number;
  /** the work of the same video that is due before it */
  aheadSeconds: number;
  isUrgent: boolean;
  /** of the container that it needs; absent when any is large enough */
  memoryMib?: number;
  /** of the encoders that it needs */
  codecs?: VideoCodec[];
};

/** The audio of a video that plays while it is encoded is due after the first chunk, and before the second. */
const audioAheadSeconds = 0.5;

/**
 * Estimates what a job costs. Only chunks and urgent audio wait for other jobs of their video: other jobs are small, or
 * delay the video when they are late.
 */
export const sizeJob = async (id: JobId): Promise<Size> =>
  id.kind === 'probe' ? { ...usualSize, isUrgent: true } : sizeInPlan(id, await readPlanOf(id));

const usualSize = { estimateSeconds: usualSeconds, workUnits: 1, aheadSeconds: 0 };

/** The size of a job of a plan. */
export function sizeInPlan(id: Pick<JobId, 'kind' | 'group' | 'index'>, plan: Plan): Size {
  const urgent = isUrgent(id, plan);
  if (id.kind === 'quality' && plan.quality) {
    const { spec } = plan.quality;
    return {
      ...usualSize,
      estimateSeconds: qualityCpuSeconds(spec),
      isUrgent: urgent,
      // what is measured of another version of the encoder would not hold for the chunks
      codecs: [...new Set(spec.trials.map(({ rung }) => rung.codec))],
    };
  }
  if (id.kind === 'thumbnails' && plan.thumbnails) {
    return { ...usualSize, estimateSeconds: estimatedThumbnailSeconds(plan.thumbnails), isUrgent: urgent };
  }
  if (id.kind !== 'encode-video') {
    const rendition = id.kind === 'encode-audio' ? plan.audio[id.index] : undefined;
    return {
      ...usualSize,
      ...(rendition && { estimateSeconds: estimatedAudioSeconds(rendition, plan.durationSeconds) }),
      ...(urgent && { aheadSeconds: audioAheadSeconds }),
      isUrgent: urgent,
    };
  }
  const group = plan.groups[id.group];
  const chunk = group?.chunks[id.index];
  if (!group || !chunk) throw new Error(`the plan has no chunk ${id.index} in group ${id.group}`);
  return {
    estimateSeconds: estimatedCpuSeconds(chunk, group.grid, group.rungs),
    workUnits: chunkUnits(group, chunk),
    aheadSeconds: plan.groups.reduce((sum, one) => sum + secondsBefore(one, group, id.index), 0),
    isUrgent: urgent,
    codecs: [...new Set(group.rungs.map(({ codec }) => codec))],
    ...(plan.source && { memoryMib: neededMib(group.rungs, plan.source) }),
  };
}

/** The work of a group that is due before a chunk: all of an earlier phase, and as many chunks of the same phase. */
function secondsBefore({ phase, chunks, grid, rungs }: EncodeGroup, of: EncodeGroup, index: number): number {
  if (phase > of.phase) return 0;
  const before = phase < of.phase ? chunks : chunks.slice(0, index);
  return before.reduce((sum, chunk) => sum + estimatedCpuSeconds(chunk, grid, rungs), 0);
}
