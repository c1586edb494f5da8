import type { Job } from '../table/records.ts';

/** Names of the parts of the work on a video. Outputs list the parts they need, and progress is counted by part. */
export const encodeGroupPart = (planNumber: number, group: number): string => `r${planNumber}v${group}`;
export const audioTrackPart = (planNumber: number, index: number): string => `r${planNumber}a${index}`;

/** The part that a job belongs to; undefined for jobs that do not count towards progress. */
export function workPart({ kind, planNumber, group, index }: Pick<Job, 'kind' | 'planNumber' | 'group' | 'index'>) {
  if (kind === 'encode-video') return encodeGroupPart(planNumber, group);
  return kind === 'encode-audio' ? audioTrackPart(planNumber, index) : undefined;
}
