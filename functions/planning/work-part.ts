import type { Chunk } from '../../shared/protocol/encode-spec.ts';
import type { Job } from '../table/records.ts';
import { estimatedCpuSeconds } from './estimated-cpu-seconds.ts';
import type { EncodeGroup } from './video/encode-groups.ts';

/** Names of the parts of the work on a video. Outputs list the parts they need, and progress is counted by part. */
export const encodeGroupPart = (planNumber: number, group: number): string => `r${planNumber}v${group}`;
export const audioTrackPart = (planNumber: number, index: number): string => `r${planNumber}a${index}`;

/** The part that a job belongs to; undefined for jobs that do not count towards progress. */
export function workPart({ kind, planNumber, group, index }: Pick<Job, 'kind' | 'planNumber' | 'group' | 'index'>) {
  if (kind === 'encode-video') return encodeGroupPart(planNumber, group);
  return kind === 'encode-audio' ? audioTrackPart(planNumber, index) : undefined;
}

/**
 * What a chunk adds to the progress of its outputs: its estimated CPU time in tenths of a second. Frames would count
 * the smallest rung alone as much as all the others together.
 */
export const chunkUnits = ({ grid, rungs }: EncodeGroup, chunk: Chunk): number =>
  Math.max(1, Math.round(10 * estimatedCpuSeconds(chunk, grid, rungs)));

export const groupUnits = (group: EncodeGroup): number =>
  group.chunks.reduce((sum, chunk) => sum + chunkUnits(group, chunk), 0);
