import { attemptPrefix, frameIndexFile, probePrefix, thumbnailsPrefix } from '../../shared/object-keys.ts';
import type { AudioRendition } from '../../shared/protocol/encode-spec.ts';
import { imageFile, type JobResult, posterFile, previewFile } from '../../shared/protocol/jobs.ts';
import { type EncoderRun, encoderRuns, initFile, segmentFile } from '../../shared/protocol/track-files.ts';
import { captionFile } from '../planning/caption-plan.ts';
import type { Plan, PlannedOutput } from '../planning/encoding-plan.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import { jobName } from '../table/job-id.ts';
import type { Job, VideoJob } from '../table/records.ts';
import { chunkSegments, maxAudioSegments } from './segment-counts.ts';

/** The files that a job makes, by the names that workers use. A result with other names is refused. */
export async function expectedFiles(job: VideoJob): Promise<string[]> {
  if (job.kind === 'probe') return [frameIndexFile];
  const plan = await readPlanOf(job);
  switch (job.kind) {
    case 'quality':
    case 'transcribe':
      return [];
    case 'encode-video':
    case 'encode-audio':
      return trackFiles(jobTracks(plan, job));
    case 'thumbnails':
      return thumbnailFiles(plan);
    case 'text':
      return plan.captions.map((_, index) => captionFile(index));
    case 'package':
      return packageFiles(outputOf(plan, job), plan.durationSeconds);
  }
}

/** The tracks of an encode job, and the numbers of the segments that it makes of each. */
export type TrackSegments = { names: string[]; segments: number[] };

export function jobTracks(plan: Plan, job: Job): TrackSegments {
  return job.kind === 'encode-audio'
    ? audioTracks(renditionOf(plan, job), plan.durationSeconds)
    : chunkTracks(groupOf(plan, job), job.index);
}

/** The tracks of an encoded chunk. */
export function chunkTracks(group: EncodeGroup, index: number): TrackSegments {
  const chunk = group.chunks[index];
  if (!chunk) throw new Error(`the plan has no chunk ${index} in group ${group.index}`);
  const { firstSegment, segmentCount } = chunkSegments(group.grid, chunk);
  const segments = Array.from({ length: segmentCount }, (_, offset) => firstSegment + offset);
  return { names: group.rungs.map(({ name }) => name), segments };
}

/** An encoded audio track. `durationSeconds` is that of the plan. */
export function audioTracks({ name, segmentSeconds }: AudioRendition, durationSeconds: number): TrackSegments {
  const count = maxAudioSegments(segmentSeconds, durationSeconds);
  return { names: [name], segments: Array.from({ length: count }, (_, number) => number) };
}

/** The files of encoded tracks: those of the first run of the encoder, which is usually the only one, come first. */
export const trackFiles = (tracks: TrackSegments): string[] => encoderRuns.flatMap((run) => filesOfRun(tracks, run));

const filesOfRun = ({ names, segments }: TrackSegments, run: EncoderRun): string[] =>
  names.flatMap((name) =>
    [initFile(run), ...segments.map((number) => segmentFile(number, run))].map((file) => `${name}/${file}`),
  );

/** Segments of video are whole GOPs. Just below one and a half of them, one is used: of 5 s where 7 s are asked for. */
const shortestShare = 2 / 3;

/** The files of a package job: one MP4 file, or MPEG-TS segments. */
export function packageFiles(output: PlannedOutput, durationSeconds: number): string[] {
  if (output.container === 'mp4') return [output.video.length > 0 ? 'video.mp4' : 'audio.m4a'];
  const count = maxAudioSegments(shortestShare * output.segmentSeconds, durationSeconds);
  return Array.from({ length: count }, (_, number) => `${String(number).padStart(5, '0')}.ts`);
}

export function thumbnailFiles({ thumbnails }: Plan): string[] {
  if (!thumbnails) return [];
  if ('image' in thumbnails) return [posterFile(thumbnails.poster)];
  const { poster, sprite, images, preview } = thumbnails;
  const sheets = Array.from(
    { length: sprite?.sheets ?? 0 },
    (_, sheet) => `sprite-${String(sheet + 1).padStart(3, '0')}.${sprite?.format}`,
  );
  return [
    ...(poster ? [posterFile(poster)] : []),
    ...(sheets.length > 0 ? [...sheets, 'sprite.vtt'] : []),
    ...(images?.atSeconds.map((_, index) => imageFile(index, images.format)) ?? []),
    ...(preview ? [previewFile(preview)] : []),
  ];
}

/**
 * The folder that an attempt writes to. Attempts have separate folders, except those at jobs of a source.
 */
export function jobFolder(job: Pick<Job, 'videoUlid' | 'planNumber' | 'kind' | 'group' | 'index' | 'attempt'>): string {
  if (job.kind === 'probe') return probePrefix(job.videoUlid, job.index);
  if (job.kind === 'thumbnails') return thumbnailsPrefix(job.videoUlid, job.index);
  return attemptPrefix(job.videoUlid, job.planNumber, jobName(job), job.attempt);
}

export const groupOf = (plan: Plan, job: Job): EncodeGroup => planned(plan.groups[job.group], 'group', job.group);
export const renditionOf = (plan: Plan, job: Job): AudioRendition => planned(plan.audio[job.index], 'audio', job.index);
export const outputOf = (plan: Plan, job: Job): PlannedOutput => planned(plan.outputs[job.group], 'output', job.group);

function planned<Part>(part: Part | undefined, name: string, position: number): Part {
  if (part === undefined) throw new Error(`the plan has no ${name} ${position}`);
  return part;
}

/** The files that a result names, relative to the folder of its attempt. */
export function resultFiles(result: JobResult): string[] {
  if ('files' in result) return typeof result.files === 'number' ? [] : result.files.map(({ file }) => file);
  const tracks = 'tracks' in result ? result.tracks : 'track' in result ? [result.track] : [];
  return tracks.flatMap(({ init, segments }) => [init.file, ...segments.map(({ file }) => file)]);
}
