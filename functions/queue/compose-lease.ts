import type { AudioRendition } from '../../shared/protocol/encode-spec.ts';
import type { JobLimits, JobSpec, Lease } from '../../shared/protocol/jobs.ts';
import { presignedGet, presignedPut, signedUrls } from '../aws/object-store.ts';
import { presignedSeconds } from '../aws/presign.ts';
import { finishedTracks, requireTrack } from '../packaging/finished-tracks.ts';
import type { Plan, PlannedOutput } from '../planning/plan.ts';
import { readPlan } from '../planning/stored-plans.ts';
import type { EncodeGroup } from '../planning/video/encode-groups.ts';
import { sourceClock } from '../planning/video/video-source.ts';
import type { Job, Video } from '../table/records.ts';
import { poolNode, reachOf } from './caller.ts';
import { audioFiles, chunkFiles, jobFolder, packageFiles, probeFile, thumbnailFiles } from './job-files.ts';
import { probeOf } from './probe-job.ts';

type Work = { spec: JobSpec; inputs: Record<string, string> };

/** URLs that a lease or one answer carries. A day of sound is in 14,000 files, whose URLs would be more than an answer may be. */
export const urlsAtOnce = 100;

/** What a worker needs for one attempt at a job: numbers, and URLs for its objects only, of the first of them. */
export async function composeLease(job: Job, video: Video): Promise<Lease> {
  const reach = reachOf(job.leaseHolder ?? poolNode);
  const [{ spec, inputs }, outputs] = await Promise.all([compose(job, video), leaseOutputs(job)]);
  return {
    id: job.lease ?? '',
    kind: job.kind,
    spec,
    inputs: await signedUrls(Object.entries(inputs).slice(0, urlsAtOnce), presignedGet, reach),
    outputs: await signedUrls([...outputs].slice(0, urlsAtOnce), presignedPut, reach),
    limits,
  };
}

/** The objects that an attempt reads, by the names that its worker knows them by, in the order in which it does. */
export const leaseInputs = async (job: Job, video: Video): Promise<ReadonlyMap<string, string>> =>
  new Map(Object.entries((await compose(job, video)).inputs));

/** The objects that an attempt may write, by the names of their files. */
export async function leaseOutputs(job: Job): Promise<ReadonlyMap<string, string>> {
  const folder = jobFolder(job);
  return new Map((await expectedFiles(job)).map((file) => [file, `${folder}${file}`]));
}

/** A worker's URLs end after an hour, so no job may run as long. Memory and disk fit the smallest Fargate size that is used. */
const limits: JobLimits = {
  wallSeconds: presignedSeconds - 300,
  stallSeconds: 120,
  memoryBytes: 6 * 2 ** 30,
  diskBytes: 18 * 2 ** 30,
};

/** Files that a job makes, by the names that workers use: a result may name no others. */
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

async function compose(job: Job, video: Video): Promise<Work> {
  const source = { source: video.sourceKey };
  if (job.kind === 'probe') {
    return { spec: { kind: 'probe', sizeBytes: video.sourceBytes }, inputs: source };
  }
  const plan = await readPlan(video.ulid, job.planNumber);
  switch (job.kind) {
    case 'encode-video':
      return { spec: encodeVideo(plan, job), inputs: source };
    case 'encode-audio':
      return { spec: await encodeAudio(plan, job), inputs: source };
    case 'thumbnails': {
      if (!plan.thumbnails) throw new Error('the plan has no thumbnails');
      return { spec: plan.thumbnails, inputs: source };
    }
    case 'package':
      return remux(plan, job);
  }
}

function encodeVideo(plan: Plan, job: Job): JobSpec {
  const { grid, rungs, chunks } = groupOf(plan, job);
  const chunk = chunks[job.index];
  if (!chunk || !plan.source) throw new Error(`the plan has no chunk ${job.index} in group ${job.group}`);
  return { kind: 'encode-video', source: plan.source, grid, rungs, chunk };
}

async function encodeAudio(plan: Plan, job: Job): Promise<JobSpec> {
  const rendition = renditionOf(plan, job);
  const probe = await probeOf(job.videoUlid);
  const track = probe.audio.find(({ streamIndex }) => streamIndex === rendition.streamIndex);
  if (!track) throw new Error(`the source has no audio stream ${rendition.streamIndex}`);
  const durationSeconds = track.startSeconds + track.durationSeconds - plan.originSeconds;
  const { originSeconds } = plan;
  return { kind: 'encode-audio', rendition, ...sourceClock(probe), originSeconds, durationSeconds };
}

const groupOf = (plan: Plan, job: Job): EncodeGroup => planned(plan.groups[job.group], 'group', job.group);
const renditionOf = (plan: Plan, job: Job): AudioRendition => planned(plan.audio[job.index], 'audio', job.index);
const outputOf = (plan: Plan, job: Job): PlannedOutput => planned(plan.outputs[job.group], 'output', job.group);

function planned<Part>(part: Part | undefined, name: string, position: number): Part {
  if (part === undefined) throw new Error(`the plan has no ${name} ${position}`);
  return part;
}

async function remux(plan: Plan, job: Job): Promise<Work> {
  const output = outputOf(plan, job);
  const tracks = await finishedTracks(job.videoUlid, job.planNumber, plan);
  const inputs: Record<string, string> = {};
  const use = (name: string) => {
    const track = requireTrack(tracks, name);
    const paths = [track.init.path, ...track.segments.map(({ path }) => path)];
    for (const [part, path] of paths.entries()) inputs[`${name}/${part}`] = path;
    return { track, part: { name, parts: paths.length } };
  };
  const withFrames = (name: string) => {
    const { track, part } = use(name);
    return { ...part, frameCount: track.frameCount ?? 0 };
  };
  const withLanguage = (name: string) => {
    const { track, part } = use(name);
    return { ...part, language: track.language ?? 'und' };
  };
  const videoName = output.video[job.index];
  return {
    spec: {
      kind: 'package',
      format: output.container === 'ts' ? 'hls-ts' : 'mp4',
      faststart: output.faststart,
      segmentSeconds: output.segmentSeconds,
      video: videoName === undefined ? null : withFrames(videoName),
      audio: output.audio.slice(0, 1).map(withLanguage),
      durationSeconds: plan.durationSeconds,
    },
    inputs,
  };
}

/** How many jobs must move bytes for this output: none for manifests over finished segments, one a rung for muxed segments. */
export function remuxCount(output: Pick<PlannedOutput, 'container' | 'video'>): number {
  if (output.container === 'fmp4') return 0;
  return Math.max(1, output.video.length);
}
