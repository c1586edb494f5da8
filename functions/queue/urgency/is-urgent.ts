import type { Plan } from '../../planning/encoding-plan.ts';
import { isAheadChunk } from '../../planning/video/phases.ts';
import type { JobId } from '../../table/job-id.ts';

/**
 * Whether a job comes before all jobs that are not urgent, of all users: the probe, and what the first segments of a
 * video need that plays while it is encoded. That is its audio, and the short first chunks of the starter.
 * @param plan of the job; a probe has none
 */
export function isUrgent({ kind, group, index }: Pick<JobId, 'kind' | 'group' | 'index'>, plan?: Plan): boolean {
  if (kind === 'probe') return true;
  if (!plan?.starter) return false;
  const { rung } = plan.starter;
  if (kind === 'encode-audio') {
    const name = plan.audio[index]?.name;
    return plan.outputs.some(
      ({ format, video, audio }) => format === 'hls' && video.includes(rung) && isIn(audio, name),
    );
  }
  const encoded = kind === 'encode-video' ? plan.groups[group] : undefined;
  const chunk = encoded?.chunks[index];
  return encoded?.phase === 0 && chunk !== undefined && isAheadChunk(chunk, encoded.grid, plan.starter);
}

const isIn = (names: string[], name: string | undefined): boolean => name !== undefined && names.includes(name);
