import { attemptPrefix, frameIndexKey, plansPrefix, videoPrefix } from '../../shared/object-keys.ts';
import type { AudioRendition } from '../../shared/protocol/encode-spec.ts';
import { posterFile } from '../../shared/protocol/jobs.ts';
import type { Plan, PlannedOutput } from '../planning/encoding-plan.ts';
import { readPlan } from '../planning/stored-plans.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { jobName } from '../table/job-id.ts';
import type { Job } from '../table/records.ts';

/** The files that a job makes, by the names that workers use. A result with other names is refused. */
export async function expectedFiles(job: Job): Promise<string[]> {
  if (job.kind === 'probe') return [probeFile(job.videoUlid)];
  const plan = await readPlan(job.videoUlid, job.planNumber);
  switch (job.kind) {
    case 'encode-video':
      return chunkFiles(groupOf(plan, job), job.index);
    case 'encode-audio':
      return audioFiles(renditionOf(plan, job), plan.durationSeconds);
    case 'thumbnails':
      return thumbnailFiles(plan);
    case 'package':
      return packageFiles(outputOf(plan, job), plan.durationSeconds);
  }
}

/** Name of a media segment by its number. */
const segmentFile = (number: number): string => `${String(number).padStart(5, '0')}.m4s`;

/** The files of an encoded chunk. */
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
 * The files of an encoded audio track. `durationSeconds` is that of the plan; no track is longer. Audio frames do not
 * end at segment bounds, so there may be one segment more than the duration says.
 */
export function audioFiles({ name, segmentSeconds }: AudioRendition, durationSeconds: number): string[] {
  const count = Math.ceil(durationSeconds / segmentSeconds) + 2;
  return [`${name}/init.mp4`, ...Array.from({ length: count }, (_, number) => `${name}/${segmentFile(number)}`)];
}

/** The files of a package job: one MP4 file, or MPEG-TS segments. */
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
    ...(thumbnails?.poster ? [posterFile(thumbnails.poster)] : []),
    ...(sheets.length > 0 ? [...sheets, 'sprite.vtt'] : []),
  ];
}

/**
 * The folder that an attempt writes to. Attempts have separate folders, except for thumbnails, whose names are public.
 */
export function jobFolder(job: Pick<Job, 'videoUlid' | 'planNumber' | 'kind' | 'group' | 'index' | 'attempt'>): string {
  if (job.kind === 'probe') return plansPrefix(job.videoUlid);
  if (job.kind === 'thumbnails') return `${videoPrefix(job.videoUlid)}thumbnails/`;
  return attemptPrefix(job.videoUlid, job.planNumber, jobName(job), job.attempt);
}

const probeFile = (videoUlid: string): string => frameIndexKey(videoUlid).slice(plansPrefix(videoUlid).length);

export const groupOf = (plan: Plan, job: Job): EncodeGroup => planned(plan.groups[job.group], 'group', job.group);
export const renditionOf = (plan: Plan, job: Job): AudioRendition => planned(plan.audio[job.index], 'audio', job.index);
export const outputOf = (plan: Plan, job: Job): PlannedOutput => planned(plan.outputs[job.group], 'output', job.group);

function planned<Part>(part: Part | undefined, name: string, position: number): Part {
  if (part === undefined) throw new Error(`the plan has no ${name} ${position}`);
  return part;
}
