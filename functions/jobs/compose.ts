import type { JobLimits, JobSpec, Lease } from '../../shared/jobs.ts';
import type { Plan, PlannedOutput } from '../../shared/plan.ts';
import { probeResultSchema } from '../../shared/probe.ts';
import type { Job, Video } from '../../shared/records.ts';
import { findJob } from '../../shared/table/jobs.ts';
import type { JobId } from '../../shared/table/keys.ts';
import { readPlan } from '../plans.ts';
import { presignedGet, presignedPut, presignedSeconds } from '../store.ts';
import { audioFiles, chunkFiles, jobFolder, packageFiles, probeFile, thumbnailFiles } from './files.ts';
import { finishedTracks } from './tracks.ts';

type Work = { spec: JobSpec; inputs: Record<string, string>; files: string[] };

/** What a worker needs for one attempt at a job: numbers, and URLs for its objects only. */
export async function composeLease(job: Job, video: Video): Promise<Lease> {
  const { spec, inputs, files } = await compose(job, video);
  const folder = jobFolder(job);
  return {
    id: job.lease ?? '',
    kind: job.kind,
    spec,
    inputs: await signed(inputs, presignedGet),
    outputs: await signed(Object.fromEntries(files.map((file) => [file, `${folder}${file}`])), presignedPut),
    limits,
  };
}

/** A worker's URLs end after an hour, so no job may run as long. Memory and disk fit the smallest Fargate size that is used. */
const limits: JobLimits = {
  wallSeconds: presignedSeconds - 300,
  stallSeconds: 120,
  memoryBytes: 6 * 2 ** 30,
  diskBytes: 18 * 2 ** 30,
};

/** Files that a result of this job may name. */
export async function allowedFiles(job: Job, video: Video): Promise<Set<string>> {
  return new Set((await compose(job, video)).files);
}

async function compose(job: Job, video: Video): Promise<Work> {
  const source = { source: video.sourceKey };
  if (job.kind === 'probe') {
    return { spec: { kind: 'probe', sizeBytes: video.sourceBytes }, inputs: source, files: [probeFile(video.ulid)] };
  }
  const plan = await readPlan(video.ulid, job.run);
  switch (job.kind) {
    case 'encode-video':
      return { ...encodeVideo(plan, job), inputs: source };
    case 'encode-audio':
      return { ...(await encodeAudio(plan, job)), inputs: source };
    case 'thumbnails': {
      if (!plan.thumbnails) throw new Error('the plan has no thumbnails');
      return { spec: plan.thumbnails, inputs: source, files: thumbnailFiles(plan) };
    }
    case 'package':
      return remux(plan, job);
  }
}

function encodeVideo(plan: Plan, job: JobId): Pick<Work, 'spec' | 'files'> {
  const group = plan.groups[job.group];
  const chunk = group?.chunks[job.index];
  if (!group || !chunk || !plan.source) throw new Error(`the plan has no chunk ${job.index} in group ${job.group}`);
  return {
    spec: { kind: 'encode-video', source: plan.source, grid: group.grid, rungs: group.rungs, chunk },
    files: chunkFiles(group, job.index),
  };
}

async function encodeAudio(plan: Plan, job: JobId): Promise<Pick<Work, 'spec' | 'files'>> {
  const rendition = plan.audio[job.index];
  if (!rendition) throw new Error(`the plan has no audio ${job.index}`);
  const probe = await findJob({ videoUlid: job.videoUlid, run: job.run, kind: 'probe', group: 0, index: 0 });
  const { formatName, audio } = probeResultSchema.parse(probe?.result);
  const durationSeconds = audio.find(({ streamIndex }) => streamIndex === rendition.streamIndex)?.durationSeconds ?? 0;
  return {
    spec: { kind: 'encode-audio', rendition, formatName, originSeconds: plan.originSeconds, durationSeconds },
    // The track may begin after the output clock does, and segments are counted on that clock.
    files: audioFiles(rendition.name, plan.durationSeconds + durationSeconds, rendition.segmentSeconds),
  };
}

async function remux(plan: Plan, job: JobId): Promise<Work> {
  const output = plan.outputs[job.group];
  if (!output) throw new Error(`the plan has no output ${job.group}`);
  const tracks = await finishedTracks(job.videoUlid, job.run, plan);
  const inputs: Record<string, string> = {};
  const use = (name: string): { name: string; parts: number } => {
    const track = tracks.get(name);
    if (!track) throw new Error(`the track ${name} is not finished`);
    const paths = [track.init.path, ...track.segments.map(({ path }) => path)];
    for (const [part, path] of paths.entries()) inputs[`${name}/${part}`] = path;
    return { name, parts: paths.length };
  };
  const videoName = output.video[job.index];
  return {
    spec: {
      kind: 'package',
      format: output.container === 'ts' ? 'hls-ts' : 'mp4',
      faststart: output.faststart,
      segmentSeconds: output.segmentSeconds,
      video: videoName === undefined ? null : { ...use(videoName), frameCount: framesOf(plan, videoName) },
      audio: output.audio.slice(0, 1).map((name) => ({ ...use(name), language: languageOf(plan, name) })),
      durationSeconds: plan.durationSeconds,
    },
    inputs,
    files: packageFiles(output, plan.durationSeconds),
  };
}

const framesOf = (plan: Plan, rung: string): number =>
  plan.groups.find(({ rungs }) => rungs.some(({ name }) => name === rung))?.chunks.at(-1)?.endFrame ?? 0;

const languageOf = (plan: Plan, name: string): string =>
  plan.audio.find((audio) => audio.name === name)?.language ?? 'und';

/** How many jobs must move bytes for this output: none for manifests over finished segments, one a rung for muxed segments. */
export function remuxCount(output: Pick<PlannedOutput, 'container' | 'video'>): number {
  if (output.container === 'fmp4') return 0;
  return Math.max(1, output.video.length);
}

async function signed(
  keys: Record<string, string>,
  sign: (key: string) => Promise<string>,
): Promise<Record<string, string>> {
  const entries = Object.entries(keys).map(async ([name, key]) => [name, await sign(key)] as const);
  return Object.fromEntries(await Promise.all(entries));
}
