import { now, nowSeconds } from '../../shared/clock.ts';
import { isForUploader } from '../../shared/protocol/job-errors.ts';
import { resultOf } from '../job-results/job-results.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import {
  countParts,
  estimatedSpeechSeconds,
  type HeardPart,
  joinHeard,
  partsToDetect,
  rangeOfPart,
  spokenLanguage,
} from '../planning/speech/speech-parts.ts';
import { tagOfWhisper } from '../planning/speech/whisper-language.ts';
import { readPlan } from '../stored-plans/stored-plans.ts';
import { type JobId, transcribeJobId } from '../table/job-id.ts';
import { cancelJob, discardJob } from '../table/jobs/job-endings.ts';
import { findJob, findJobsOfKind } from '../table/jobs/job-table.ts';
import { queueTranscribeJob } from '../table/jobs/queued-jobs.ts';
import { takeTranscriptionTurn } from '../table/queue/transcription-turn.ts';
import type { Caption, TranscribeJob, Video } from '../table/records.ts';
import { findCaptions } from '../table/videos/caption-table.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { launchWorkers } from '../workers/launch-workers.ts';
import { endCaption, failCaption, leaveOut, restartCaption } from './end-caption.ts';
import { whyNotIn } from './spoken-language.ts';

const maxAttempts = 5;
const retryDelayMilliseconds = 60_000;

/**
 * Does what is next for the captions that are made from the speech of a video. Every step can be repeated, also at the
 * same time as another call.
 */
export async function continueTranscription(videoUlid: string): Promise<void> {
  const video = await findVideo(videoUlid);
  if (!video) return;
  const { captions } = await findCaptions(videoUlid);
  const pending = captions.filter(({ status }) => status === 'pending');
  const jobs = await findJobsOfKind(videoUlid, video.planNumber, 'transcribe');
  await cancelUnneeded(jobs, pending);
  const states: CaptionState[] = [];
  for (const ofTrack of Map.groupBy(pending, ({ speech }) => speech?.track).values()) {
    states.push(...(await continueTrack(video, ofTrack, { captions, jobs })));
  }
  if (states.includes('queued')) await launchWorkers();
}

/** `queued`: jobs were queued by this call. */
type CaptionState = 'ended' | 'queued' | 'waiting';

/** Of the video. */
type Present = { captions: readonly Caption[]; jobs: TranscribeJob[] };

/**
 * Captions of one track have the same jobs, whose results those of one language would take from those of another. So
 * they are made one after the other, those that were requested first.
 */
async function continueTrack(video: Video, ofTrack: Caption[], present: Present): Promise<CaptionState[]> {
  const inOrder = ofTrack.toSorted((a, b) => ((a.speech?.request ?? '') < (b.speech?.request ?? '') ? -1 : 1));
  const states: CaptionState[] = [];
  for (const caption of inOrder) {
    const state = await continueCaption(video, caption, present);
    states.push(state);
    if (state !== 'ended') break;
  }
  return states;
}

/** Jobs of captions that were deleted, or replaced by an upload. */
async function cancelUnneeded(jobs: TranscribeJob[], pending: Caption[]): Promise<void> {
  const requests = new Set(pending.map(({ speech }) => speech?.request));
  const unneeded = jobs.filter(({ status, speech }) => isWaiting(status) && !requests.has(speech?.request));
  await Promise.all(unneeded.map(cancelJob));
}

const isWaiting = (status: TranscribeJob['status']): boolean => status === 'QUEUED' || status === 'LEASED';

async function continueCaption(video: Video, caption: Caption, present: Present): Promise<CaptionState> {
  const { speech } = caption;
  // While the video is processed again its tracks are not complete.
  if (!speech || (video.status !== 'completed' && video.status !== 'failed')) return 'waiting';
  if (video.status === 'failed') return fail(video, caption, 'The video could not be processed.');
  if (speech.refusal !== undefined) return fail(video, caption, speech.refusal);
  const plan = await readPlan(video.ulid, video.planNumber);
  const group = plan.audio.findIndex(({ name }) => name === speech.track);
  if (group < 0) return fail(video, caption, 'The video has no sound any more.');
  if (speech.planNumber !== video.planNumber) {
    await restartCaption(video, caption, plan.durationSeconds);
    return 'waiting';
  }
  const jobs = present.jobs.filter((job) => job.group === group && job.speech?.request === speech.request);
  const failed = jobs.find((job) => job.status === 'FAILED' && isFinal(job));
  if (failed) return fail(video, caption, sentenceOf(failed));
  const needed = await neededParts(speech, jobs);
  if ('words' in needed) {
    await endCaption(video, caption, needed);
    return 'ended';
  }
  const { detected } = needed;
  const unwanted = detected === undefined ? undefined : whyNotIn(tagOfWhisper(detected), caption, present.captions);
  if (unwanted !== undefined) {
    await leaveOut(video, caption, unwanted);
    return 'ended';
  }
  return queueParts({ video, plan, caption, group }, needed.parts, jobs);
}

async function fail(video: Video, caption: Caption, error: string): Promise<CaptionState> {
  await failCaption(video, caption, error);
  return 'ended';
}

const isFinal = ({ error, attempt, speech }: TranscribeJob): boolean =>
  error?.fatal === true || attempt - (speech?.earlierAttempts ?? 0) >= maxAttempts;

function sentenceOf({ error }: TranscribeJob): string {
  if (error?.code === 'MODEL_UNUSABLE') {
    // Another worker may have another model.
    return error.fatal
      ? 'The model of speech of this service cannot be used. Tell its operator.'
      : 'No worker has a model of speech for this language.';
  }
  return error && isForUploader(error.code)
    ? error.message
    : 'The service failed to recognise the speech. Try it again.';
}

/** `detected`: the spoken language, if it was not known before. */
type Needed = { parts: { index: number; language: string | null }[]; detected?: string | undefined };
type Finished = { language: string | undefined; words: ReturnType<typeof joinHeard> };

/** The parts whose results are missing, each with the language to expect; the words when none is missing. */
async function neededParts(speech: NonNullable<Caption['speech']>, jobs: TranscribeJob[]): Promise<Needed | Finished> {
  const count = countParts(speech.durationSeconds);
  const indexes = Array.from({ length: count }, (_, index) => index);
  const done = new Map(jobs.filter(({ status }) => status === 'DONE').map((job) => [job.index, job]));
  const read = async (among: number[]): Promise<HeardPart[]> =>
    Promise.all(among.map(async (index) => ({ index, ...(await resultOf(done.get(index)!)) })));
  const missing = (among: number[], language: string | null) =>
    among.filter((index) => !done.has(index)).map((index) => ({ index, language }));
  const probed = speech.language === null ? partsToDetect(count) : [];
  const detecting = missing(probed, null);
  if (detecting.length > 0) return { parts: detecting };
  let heard = await read(probed);
  if (speech.language === null && spokenLanguage(heard) === undefined) {
    // Nobody speaks in these parts: any other may tell the language.
    const unheard = missing(indexes, null);
    if (unheard.length > 0) return { parts: unheard };
    heard = await read(indexes);
  }
  const detected = spokenLanguage(heard);
  const language = speech.language ?? detected ?? null;
  const others = heard
    .filter((part) => language !== null && part.language !== null && part.language !== language)
    .map(({ index }) => ({ index, language }));
  const parts = [...missing(indexes, language), ...others];
  return parts.length > 0
    ? { parts, detected }
    : { language: language ?? undefined, words: joinHeard(await read(indexes)) };
}

type Context = { video: Video; plan: Plan; caption: Caption; group: number };

async function queueParts(
  { video, plan, caption, group }: Context,
  parts: Needed['parts'],
  jobs: TranscribeJob[],
): Promise<CaptionState> {
  const { request, track } = caption.speech!;
  const due = parts.filter(({ index, language }) => {
    const job = jobs.find((one) => one.index === index);
    if (!job) return true;
    if (isWaiting(job.status)) return false;
    // An attempt that failed for a reason of its own begins again after a pause.
    const isPaused =
      job.status === 'FAILED' && now() < Date.parse(job.endedAt ?? job.queuedAt) + retryDelayMilliseconds;
    return !isPaused || job.error?.code === 'WORKER_STOPPED' || job.speech?.language !== language;
  });
  if (due.length === 0) return 'waiting';
  const secondsOf = (index: number) => {
    const { fromSeconds, toSeconds } = rangeOfPart(index, plan.durationSeconds);
    return estimatedSpeechSeconds(toSeconds - fromSeconds);
  };
  // Parts one after the other, as if one worker made them, and videos of a user a part later each: videos of others
  // come between those of a user with many, and shorter videos between the parts of a long one.
  const longest = Math.max(...due.map(({ index }) => secondsOf(index)));
  const fromSeconds = jobs.length === 0 ? await takeTranscriptionTurn(video.ownerUlid, longest) : nowSeconds();
  const queued = await Promise.all(
    due.map(async ({ index, language }, position) => {
      const id = transcribeJobId(video.ulid, video.planNumber, { group, index });
      const job = await reusable(id);
      // Captions that were made, replaced or deleted before have had the same job.
      const isOfRequest = job?.speech?.request === request;
      const earlierAttempts = (isOfRequest ? job?.speech?.earlierAttempts : job?.attempt) ?? 0;
      const speech = { request, earlierAttempts, track, language };
      // A second more: the next video of the user begins after the first part, before the second one.
      const atSeconds = fromSeconds + Math.round(position * (longest + 1));
      return queueTranscribeJob(id, job, { estimateSeconds: secondsOf(index), speech, atSeconds });
    }),
  );
  return queued.some(Boolean) ? 'queued' : 'waiting';
}

/** The job of a part as it can be queued: one that is done is discarded first. */
async function reusable(id: JobId<'transcribe'>): Promise<TranscribeJob | undefined> {
  const job = await findJob(id);
  if (job?.status !== 'DONE') return job;
  await discardJob(job);
  return findJob(id);
}
