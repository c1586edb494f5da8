import * as z from 'zod';
import { now, timestamp } from '../../shared/clock.ts';
import { plansPrefix, uploadFolder, videoPrefix, workPrefix } from '../../shared/object-keys.ts';
import { stopExecution } from '../aws/executions.ts';
import { abortStaleMultiparts, deleteObjects } from '../aws/object-store.ts';
import { forEachSettled } from '../common/concurrency.ts';
import { type DrainLimits, drain } from '../common/drain.ts';
import { log } from '../common/log.ts';
import { applyPlaybackChanges } from '../delivery/apply-playback.ts';
import { forgetDeleted } from '../delivery/forget-deleted.ts';
import { deleteUnusedAttempts } from '../queue/unused-attempts.ts';
import { cancelJob } from '../table/jobs/job-endings.ts';
import { findJobs } from '../table/jobs/job-table.ts';
import type { Video } from '../table/records.ts';
import {
  deleteStreamEdits,
  deleteVideoRecords,
  dueDeletedVideos,
  findDeletedVideo,
  listEditsOfDeleted,
  postponeSweep,
} from '../table/videos/deleted-videos.ts';
import { expiredVideos, hideExpired } from '../table/videos/hide-video.ts';
import { dueRetirements, endRetirement } from '../table/videos/retired-files.ts';
import {
  deleteSource,
  dueSources,
  forgetSourceRetention,
  postponeSource,
  sourceKeysOf,
} from '../table/videos/source-of-video.ts';
import { endWaitingSweep, videoAt } from '../table/videos/sweep-table.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { countStored } from '../table/views/count-stored.ts';
import { sweepWaiting } from './sweep-waiting.ts';

/**
 * Applies changes of playback. Deletes files that were replaced, when no viewer can be reading them, and everything of
 * deleted videos: jobs, files, then records. The record by which a video is found is deleted last, so that a sweep that
 * dies is repeated.
 */
export async function handler(raw?: unknown): Promise<void> {
  const { waiting, expire } = input.parse(raw ?? {});
  const begunAt = now();
  const until = (milliseconds: number): DrainLimits => ({
    untilMilliseconds: begunAt + milliseconds,
    concurrency: parallelVideos,
  });
  const sweepNew = (milliseconds: number) => () => sweepWaiting(sweepFirst, until(milliseconds));
  // At the same time, so that many deletions do not keep other files from being deleted.
  const sweepOld = () =>
    forEachSettled([sweepDeleted, sweepRetired, sweepSources], (step) => step(until(maxMilliseconds)), 3);
  const steps = waiting ? [sweepNew(maxMilliseconds)] : [sweepNew(maxNewMilliseconds), sweepOld, forgetDeleted];
  steps.unshift(applyPlaybackChanges);
  if (expire) steps.unshift(() => expireVideos(until(maxExpireMilliseconds)));
  await forEachSettled(steps, (step) => step());
}

/**
 * Marks videos as deleted whose time has come. The steps after it stop their executions, end their playback and delete
 * their files.
 */
async function expireVideos(limits: DrainLimits): Promise<void> {
  const expired = await drain(
    expiredVideos(),
    async (ulid) => {
      const video = await findVideo(ulid);
      // The index can be late.
      if (video?.expiresAt !== undefined && video.expiresAt <= timestamp()) await hideExpired(video);
    },
    limits,
  );
  if (expired > 0) log.info('expired', { videos: expired });
}

/** The first sweep of a deleted video. It is repeated while a worker may still be writing. */
async function sweepFirst(position: string): Promise<void> {
  const video = await findDeletedVideo(videoAt(position));
  const isStillWritten = video !== undefined && (await sweep(video));
  if (!isStillWritten) await endWaitingSweep(position);
}

async function sweepDeleted(limits: DrainLimits): Promise<void> {
  await drain(
    dueDeletedVideos(),
    async (ulid) => {
      const video = await findDeletedVideo(ulid);
      try {
        if (video) await sweep(video);
      } finally {
        await postponeSweep(ulid);
      }
    },
    limits,
  );
}

/** Ends the retention of sources, as their templates say. The files are deleted with the retired ones. */
async function sweepSources(limits: DrainLimits): Promise<void> {
  await drain(
    dueSources(),
    async (ulid) => {
      const video = await findVideo(ulid);
      if (!video || video.sourceDeletedAt !== undefined) await forgetSourceRetention(ulid);
      // A run or an edit needs it.
      // If it dies in between, the next change of the video or its deletion counts.
      else if (await deleteSource(video)) await countStored(ulid);
      else await postponeSource(ulid, timestamp(now() + busyMilliseconds));
    },
    limits,
  );
}

async function sweepRetired(limits: DrainLimits): Promise<void> {
  await drain(
    dueRetirements(),
    async (retirement) => {
      const { prefix, track, attemptsOf } = retirement;
      if (attemptsOf !== undefined) await deleteUnusedAttempts(attemptsOf);
      // Below the prefix is one folder for each attempt at a job, and in that one for each track.
      const isOtherTrack = (key: string): boolean =>
        track !== undefined && key.slice(prefix?.length).split('/')[1] !== track;
      if (prefix !== undefined) await deleteObjects(prefix, isOtherTrack);
      await endRetirement(retirement);
    },
    limits,
  );
}

/** Whether a worker held a lease of the video when the sweep began. */
async function sweep(video: Video): Promise<boolean> {
  await countStored(video.ulid);
  // A stream edit may have been claimed at the moment of the deletion.
  const edits = await listEditsOfDeleted(video);
  for (const { executionArn } of [video, ...edits]) {
    if (executionArn) await stopExecution(executionArn, 'The video was deleted.');
  }
  await deleteStreamEdits(edits);
  const planNumbers = Array.from({ length: video.lastPlanNumber + 1 }, (_, planNumber) => planNumber);
  const jobs = (await Promise.all(planNumbers.map((planNumber) => findJobs(video.ulid, planNumber)))).flat();
  await Promise.all(
    jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED').map((job) => cancelJob(job)),
  );

  const isStillWritten = jobs.some(({ status }) => status === 'LEASED');

  // First the files that players open, so that playback cannot start while segments are deleted.
  await deleteObjects(videoPrefix(video.ulid), (key) => !entryFiles.test(key));
  const prefixes = [
    videoPrefix(video.ulid),
    plansPrefix(video.ulid),
    workPrefix(video.ulid),
    ...sourceKeysOf(video).map(uploadFolder),
  ];
  const deleted = await Promise.all(prefixes.map((prefix) => deleteObjects(prefix)));
  await abortStaleMultiparts(videoPrefix(video.ulid), now());
  // A silent worker can write until its presigned URLs expire, within the hour. Later sweeps delete what it wrote.
  const isFinal = Date.parse(video.deletedAt ?? '') < now() - workerUrlMilliseconds;
  log.info('swept', { video: video.ulid, objects: deleted.reduce((sum, count) => sum + count, 0), isFinal });
  if (!isFinal) return isStillWritten;

  await deleteVideoRecords(video, jobs);
  return false;
}

const workerUrlMilliseconds = 65 * 60_000;

/** Manifests, init segments and progressive files. */
const entryFiles = /\.(m3u8|mpd|mp4|m4a)$/;

/** A run or an edit of a video ends within that time, or the next look is later. */
const busyMilliseconds = 15 * 60_000;
/** One video takes about a second. */
const parallelVideos = 8;
/** Shorter than the timeout of the function, so that the videos being swept can be finished. */
const maxMilliseconds = 7 * 60_000;
/** A video takes one transaction. */
const maxExpireMilliseconds = 60_000;
/** The run of the next minute continues with new deletions, so that this one comes to all others. */
const maxNewMilliseconds = 2 * 60_000;

/**
 * `waiting`: only changes of playback and first sweeps, for such a change and each minute, then with `expire` for
 * videos whose time has come. Without it everything, every 15 minutes.
 */
const input = z.object({ waiting: z.literal(true).optional(), expire: z.literal(true).optional() });
