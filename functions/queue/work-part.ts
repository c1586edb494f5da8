import type { Job } from '../table/records.ts';

/** Parts of the work on a video, as its outputs list them and its progress counts them. */
export const encodeGroupPart = (run: number, group: number): string => `r${run}v${group}`;
export const audioTrackPart = (run: number, index: number): string => `r${run}a${index}`;

/** The part that a job's work counts for. */
export function workPart({ kind, run, group, index }: Pick<Job, 'kind' | 'run' | 'group' | 'index'>) {
  if (kind === 'encode-video') return encodeGroupPart(run, group);
  return kind === 'encode-audio' ? audioTrackPart(run, index) : undefined;
}
