import { attemptPrefix, frameIndexKey, plansPrefix, videoPrefix } from '../../shared/object-keys.ts';
import type { AudioRendition } from '../../shared/protocol/encode-spec.ts';
import type { Plan, PlannedOutput } from '../planning/plan.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { jobName } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';

/** Number of a media segment as it stands in file names. */
const segmentFile = (number: number): string => `${String(number).padStart(5, '0')}.m4s`;

/** Files that the encode of one chunk makes, by the names that workers use. */
export function chunkFiles(group: EncodeGroup, index: number): string[] {
  const chunk = group.chunks[index];
  if (!chunk) throw new Error(`the plan has no chunk ${index} in group ${group.index}`);
  const first = Math.floor(chunk.startFrame / group.grid.segmentFrames);
  const after = Math.ceil(chunk.endFrame / group.grid.segmentFrames);
  const numbers = Array.from({ length: after - first }, (_, offset) => first + offset);
  return group.rungs.flatMap(({ name }) => [
    `${name}/init.mp4`,
    ...numbers.map((number) => `${name}/${segmentFile(number)}`),
  ]);
}

/**
 * Files that the encode of an audio track makes. `durationSeconds` is the plan's, which no track outlasts. Audio frames do not fall on segment bounds, so
 * there may be one segment more than the length says.
 */
export function audioFiles({ name, segmentSeconds }: AudioRendition, durationSeconds: number): string[] {
  const count = Math.ceil(durationSeconds / segmentSeconds) + 2;
  return [`${name}/init.mp4`, ...Array.from({ length: count }, (_, number) => `${name}/${segmentFile(number)}`)];
}

/** Files that a remux makes: one file, or transport stream segments. */
export function packageFiles(output: PlannedOutput, durationSeconds: number): string[] {
  if (output.container === 'mp4') return [output.video.length > 0 ? 'video.mp4' : 'audio.m4a'];
  const count = Math.ceil(durationSeconds / output.segmentSeconds) + 2;
  return Array.from({ length: count }, (_, number) => `${String(number).padStart(5, '0')}.ts`);
}

export function thumbnailFiles({ thumbnails }: Plan): string[] {
  const sheets = Array.from(
    { length: thumbnails?.sprite?.sheets ?? 0 },
    (_, sheet) => `sprite-${String(sheet + 1).padStart(3, '0')}.${thumbnails?.sprite?.format}`,
  );
  return [
    ...(thumbnails?.poster ? [`poster.${thumbnails.poster.format}`] : []),
    ...(sheets.length > 0 ? [...sheets, 'sprite.vtt'] : []),
  ];
}

/** The folder that a job's attempt writes to. Thumbnails have names that viewers know; all else is apart for each attempt. */
export function jobFolder(job: Pick<Job, 'videoUlid' | 'planNumber' | 'kind' | 'group' | 'index' | 'attempt'>): string {
  if (job.kind === 'probe') return plansPrefix(job.videoUlid);
  if (job.kind === 'thumbnails') return `${videoPrefix(job.videoUlid)}thumbnails/`;
  return attemptPrefix(job.videoUlid, job.planNumber, jobName(job), job.attempt);
}

export const probeFile = (videoUlid: string): string => frameIndexKey(videoUlid).slice(plansPrefix(videoUlid).length);
