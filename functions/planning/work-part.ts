import type { Job } from '../table/records.ts';

/** Parts of the work on a video, as its outputs list them and its progress counts them. */
export const encodeGroupPart = (planNumber: number, group: number): string => `r${planNumber}v${group}`;
export const audioTrackPart = (planNumber: number, index: number): string => `r${planNumber}a${index}`;

/** The part that a job's work counts for. */
export function workPart({ kind, planNumber, group, index }: Pick<Job, 'kind' | 'planNumber' | 'group' | 'index'>) {
  if (kind === 'encode-video') return encodeGroupPart(planNumber, group);
  return kind === 'encode-audio' ? audioTrackPart(planNumber, index) : undefined;
}
