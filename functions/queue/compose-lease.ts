import { readEnvironment } from '../../shared/environment.ts';
import { posterUploadKey, watermarkKey } from '../../shared/object-keys.ts';
import type { JobLimits, JobSpec, Lease } from '../../shared/protocol/jobs.ts';
import { isOfFirstRun } from '../../shared/protocol/track-files.ts';
import { presignedGet, presignedPut, signedUrls } from '../aws/object-store.ts';
import { presignedSeconds } from '../aws/presign.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { finishedTracks, requireTrack } from '../job-results/finished-tracks.ts';
import { expectedFiles, groupOf, jobFolder, outputOf, renditionOf } from '../job-results/job-files.ts';
import { probeOf } from '../job-results/job-results.ts';
import { captionFile } from '../planning/caption-plan.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { rangeOfPart } from '../planning/speech/speech-parts.ts';
import { sourceInput } from '../planning/video/video-source.ts';
import { readPlanOf } from '../stored-plans/stored-plans.ts';
import { attemptOf } from '../table/jobs/job-attempts.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import type { Job, Video, VideoJob } from '../table/records.ts';
import { findStreamEdit } from '../table/stream-edits/stream-edit-table.ts';
import { reachOf } from './caller.ts';
import { isUrgent } from './urgency/is-urgent.ts';

type JobWork = { spec: JobSpec; inputs: Record<string, string> };

/** How many URLs a lease or an answer has. The URLs of a day of audio, 14,000 files, would not fit into one answer. */
export const maxUrls = 100;

/** The lease of one attempt at a job: its spec, and presigned URLs for the first of its objects and for no others. */
export async function composeLease(leased: VideoJob, video: Video): Promise<Lease> {
  const { lease = '', leaseHolder = poolNode } = leased;
  // The job may have had another attempt before this lease was restored.
  const job = { ...leased, attempt: attemptOf(leased, lease) ?? leased.attempt };
  const reach = reachOf(leaseHolder);
  const [{ spec, inputs }, outputs] = await Promise.all([compose(job, video), leaseOutputs(job)]);
  const plan = job.kind === 'probe' ? undefined : await readPlanOf(job);
  return {
    id: lease,
    kind: job.kind,
    spec,
    inputs: await signedUrls(Object.entries(inputs).slice(0, maxUrls), presignedGet, reach),
    // Few jobs run the encoder twice. Their workers request the URLs of the second run.
    outputs: await signedUrls(firstOutputs(outputs), presignedPut, reach),
    limits: limitsOf(job),
    ...(needsProcessor(job, plan) && { urgent: true }),
    ...(reach === 'internal' && { nearStore: true }),
  };
}

/** Audio is encoded a hundred times faster than it plays: its encoder leaves the processor to the first segments. */
const needsProcessor = (job: Job, plan: Plan | undefined): boolean =>
  job.kind !== 'encode-audio' && isUrgent(job, plan);

const firstOutputs = (outputs: ReadonlyMap<string, string>): [file: string, key: string][] =>
  [...outputs].filter(([file]) => isOfFirstRun(file)).slice(0, maxUrls);

/** The objects that an attempt reads by the names that its worker knows, in the order in which it reads them. */
export const leaseInputs = async (job: VideoJob, video: Video): Promise<ReadonlyMap<string, string>> =>
  new Map(Object.entries((await compose(job, video)).inputs));

/** The objects that an attempt may write by the names of their files. */
export async function leaseOutputs(job: VideoJob): Promise<ReadonlyMap<string, string>> {
  const folder = jobFolder(job);
  return new Map((await expectedFiles(job)).map((file) => [file, `${folder}${file}`]));
}

/**
 * A worker's URLs expire after an hour, so a job must end before that. Memory and disk fit the smallest Fargate size in
 * use.
 */
export const limits: JobLimits = {
  wallSeconds: presignedSeconds - 300,
  stallSeconds: 120,
  memoryBytes: 6 * 2 ** 30,
  diskBytes: 18 * 2 ** 30,
};

/** The rest of the video waits for the measurement, which takes seconds. Without it, the defaults are used. */
const qualityWallSeconds = 600;

/** All others go first on a machine, so that speech waits for hours while it encodes. Its sound is fetched at once. */
const speechWallSeconds = 12 * 3600;

function limitsOf({ kind }: Job): JobLimits {
  if (kind === 'quality') return { ...limits, wallSeconds: qualityWallSeconds };
  return kind === 'transcribe' ? { ...limits, wallSeconds: speechWallSeconds } : limits;
}

async function compose(job: VideoJob, video: Video): Promise<JobWork> {
  const source = { source: video.sourceKey };
  if (job.kind === 'probe') {
    const { tracks } = job;
    return { spec: { kind: 'probe', sizeBytes: video.sourceBytes, ...(tracks && { tracks }) }, inputs: source };
  }
  const plan = await readPlanOf(job);
  const { watermark } = plan.source ?? {};
  const picture = { ...source, ...(watermark && { watermark: watermarkKey(job.videoUlid, watermark.imageUlid) }) };
  switch (job.kind) {
    case 'quality': {
      if (!plan.quality) throw new Error('the plan has no measurement');
      return { spec: plan.quality.spec, inputs: picture };
    }
    case 'encode-video':
      return { spec: encodeVideo(plan, job), inputs: picture };
    case 'encode-audio':
      return { spec: await encodeAudio(plan, job, video), inputs: source };
    case 'thumbnails': {
      if (!plan.thumbnails) throw new Error('the plan has no thumbnails');
      return { spec: plan.thumbnails, inputs: 'image' in plan.thumbnails ? await uploadedImage(job) : picture };
    }
    case 'transcribe':
      return partOfSpeech(plan, job);
    case 'text':
      return { spec: await textOf(plan, video), inputs: source };
    case 'package':
      return knownRemux(plan, job);
  }
}

async function uploadedImage({ videoUlid, planNumber }: VideoJob): Promise<Record<string, string>> {
  const upload = (await findStreamEdit(videoUlid, planNumber))?.posterUpload;
  // The job is cancelled: the edit has ended.
  return upload ? { image: posterUploadKey(videoUlid, upload.ulid) } : {};
}

function encodeVideo(plan: Plan, job: Job): JobSpec {
  const { grid, rungs, chunks } = groupOf(plan, job);
  const chunk = chunks[job.index];
  if (!chunk || !plan.source) throw new Error(`the plan has no chunk ${job.index} in group ${job.group}`);
  return { kind: 'encode-video', source: plan.source, grid, rungs, chunk, ...reporting(plan) };
}

async function encodeAudio(plan: Plan, job: Job, video: Video): Promise<JobSpec> {
  const rendition = renditionOf(plan, job);
  return {
    kind: 'encode-audio',
    rendition,
    ...sourceInput({ ...(await probeOf(video)), ...usedPart(plan) }),
    ...presentationOf(plan),
    ...reporting(plan),
  };
}

async function textOf(plan: Plan, video: Video): Promise<JobSpec> {
  const files = plan.captions.map(({ track }, index) => ({ track, file: captionFile(index) }));
  const chapters = files.find(({ track }) => track === null);
  return {
    kind: 'text',
    ...sourceInput({ ...(await probeOf(video)), ...usedPart(plan) }),
    ...presentationOf(plan),
    tracks: files.flatMap(({ track, file }) => (track ? { file, ...track } : [])),
    chapters: chapters ? { file: chapters.file } : null,
  };
}

/** The part of a finished audio track that a transcription reads. */
async function partOfSpeech(plan: Plan, { videoUlid, planNumber, index, speech }: VideoJob): Promise<JobWork> {
  if (!speech) throw new Error('the job has no speech');
  const track = requireTrack(await finishedTracks(videoUlid, planNumber, plan), speech.track);
  const range = rangeOfPart(index, plan.durationSeconds);
  const model = readEnvironment('TRANSCRIPTION_MODEL_KEY');
  const isNeeded = ({ startTicks, durationTicks }: { startTicks: number; durationTicks: number }) =>
    startTicks < range.toSeconds * track.timescale && startTicks + durationTicks > range.fromSeconds * track.timescale;
  const paths = [track.init.path, ...track.segments.filter(isNeeded).map(({ path }) => path)];
  return {
    spec: {
      kind: 'transcribe',
      parts: paths.length,
      ...range,
      language: speech.language,
      ...(model !== undefined && { modelSha256: readEnvironment('TRANSCRIPTION_MODEL_SHA256') }),
    },
    inputs: {
      ...Object.fromEntries(paths.map((path, part) => [`audio/${part}`, path])),
      ...(model !== undefined && { model }),
    },
  };
}

/** What every track covers, whatever the length of its stream. */
const presentationOf = ({ originSeconds, durationSeconds }: Plan) => ({ originSeconds, durationSeconds });

const usedPart = ({ part }: Plan) => (part ? { part } : {});

/** Stored segments are of use for a plan with a rung that plays while the others are encoded. */
const reporting = ({ starter }: Plan): { reportsSegments?: boolean } => (starter ? { reportsSegments: true } : {});

/**
 * The work of package jobs by attempt. A worker requests the inputs of a long video a hundred at a time, and finding
 * them reads the results of all encodes of the plan, which stay as they are.
 */
const remuxes = createBoundedCache<JobWork>(4);

async function knownRemux(plan: Plan, job: Job): Promise<JobWork> {
  const folder = jobFolder(job);
  const work = remuxes.get(folder) ?? (await remux(plan, job));
  remuxes.set(folder, work);
  return work;
}

async function remux(plan: Plan, job: Job): Promise<JobWork> {
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
    return { ...part, language: track.language ?? 'und', ...(track.roles && { roles: track.roles }) };
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
