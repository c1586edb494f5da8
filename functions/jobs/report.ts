import { day, now } from '../../shared/clock.ts';
import { JobError, type JobErrorCode, StateError, stateErrors } from '../../shared/job-errors.ts';
import { type JobResult, jobResultSchemas, type SyncRequest } from '../../shared/jobs.ts';
import { log } from '../../shared/log.ts';
import type { Job, Video } from '../../shared/records.ts';
import { ConditionFailed, transact, type Write, write } from '../../shared/table/items.ts';
import { findJob, jobEnd, renewLease } from '../../shared/table/jobs.ts';
import { type JobId, keys } from '../../shared/table/keys.ts';
import { usageWrite } from '../../shared/table/usage.ts';
import { findVideo } from '../../shared/table/videos.ts';
import { taskFailed, taskSucceeded } from '../executions.ts';
import { expectedFiles } from './compose.ts';
import { parseLease } from './lease-id.ts';

/** A lease that stands, with what it is for. Undefined when it is over: finished, lost, cancelled, or of a video that is gone. */
async function standing(lease: string): Promise<{ id: JobId; job: Job; video: Video } | undefined> {
  const id = parseLease(lease);
  const job = id && (await findJob(id));
  if (!id || job?.lease !== lease) return undefined;
  const video = await findVideo(id.videoUlid);
  return video ? { id, job, video } : undefined;
}

/** Keeps a running lease. False when the worker should stop. */
export async function reportRunning({ lease, progress }: NonNullable<SyncRequest['running']>): Promise<boolean> {
  const held = await standing(lease);
  if (held?.job.status !== 'LEASED') return false;
  const furthest = Math.max(progress, held.job.progress);
  if (!(await renewLease(held.id, lease, furthest))) return false;
  await addProgress(held.job, furthest - held.job.progress);
  return true;
}

/** Takes a finished job's result, once. What comes for a lease that is over is dropped: its successor's result counts. */
export async function reportDone({ lease, result }: NonNullable<SyncRequest['done']>): Promise<void> {
  const held = await standing(lease);
  if (!held) return;
  const { id, job, video } = held;
  // A worker that got no answer reports again; the state machine may not have got its answer either.
  if (job.status === 'DONE') return taskSucceeded(job.taskToken);
  if (job.status !== 'LEASED') return;

  const parsed = jobResultSchemas[job.kind].safeParse(result);
  const unexpected = parsed.success ? await unexpectedFiles(job, parsed.data as JobResult) : [];
  if (!parsed.success || unexpected.length > 0) {
    log.error('a worker sent a result that is not one', { lease, issues: parsed.error?.issues, unexpected });
    return reportFailed({
      lease,
      code: 'OUTPUT_MISMATCH',
      fatal: false,
      message: 'A worker sent a result that is not one.',
    });
  }
  const cpuMs = Math.round(parsed.data.cpuSeconds * 1000);
  const writes: Write[] = [
    jobEnd(id, lease, 'DONE', { set: { result: parsed.data, progress: 1 } }),
    usageWrite({
      userUlid: video.ownerUlid,
      metric: 'encoding_cpu',
      externalUserId: video.externalUserId,
      amount: cpuMs,
      atMilliseconds: now(),
    }),
    { update: keys.analytics(day()), set: { kind: 'analytics' }, add: { cpuMs } },
    ...progressWrites(job, 1 - job.progress),
  ];
  try {
    await transact(writes);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    throw error;
  }
  await taskSucceeded(job.taskToken);
}

/** Takes a failure. Whether it is tried again is the state machine's decision, by the error's name. */
export async function reportFailed({ lease, code, fatal, message }: NonNullable<SyncRequest['failed']>): Promise<void> {
  const held = await standing(lease);
  if (!held) return;
  const { id, job } = held;
  if (job.status === 'LEASED') {
    try {
      await write(jobEnd(id, lease, 'FAILED', { set: { error: { code, fatal, message } } }));
    } catch (error) {
      if (error instanceof ConditionFailed) return;
      throw error;
    }
  } else if (job.status !== 'FAILED') {
    return;
  }
  const failure = job.error ?? { code, fatal, message };
  await taskFailed(job.taskToken, errorName(failure), `${failure.code}: ${failure.message}`);
}

function errorName({ code, fatal }: { code: string; fatal: boolean }): string {
  if (fatal) return stateErrors.jobFatal;
  return code === 'WORKER_STOPPED' ? stateErrors.workerLost : stateErrors.jobTransient;
}

/** The error of the state machine for what planning or a function found out. */
export const asStateError = (error: unknown): unknown =>
  error instanceof JobError
    ? new StateError(
        error.fatal ? stateErrors.jobFatal : stateErrors.jobTransient,
        error.code as JobErrorCode,
        error.message,
      )
    : error;

/** The part of the plan that a job's work counts for, as outputs list their parts. */
const workPart = (job: Pick<Job, 'kind' | 'group' | 'index'>): string | undefined => {
  if (job.kind === 'encode-video') return `v${job.group}`;
  return job.kind === 'encode-audio' ? `a${job.index}` : undefined;
};

function progressWrites(job: Job, fraction: number): Write[] {
  const part = workPart(job);
  if (part === undefined || fraction <= 0) return [];
  const amount = fraction * job.workUnits;
  return [
    { update: keys.progress(job.videoUlid), add: { [`done.${part}`]: amount }, when: { equals: { run: job.run } } },
  ];
}

/** Progress is for looking at: a lost race or a new run is no reason to stop a worker. */
async function addProgress(job: Job, fraction: number): Promise<void> {
  for (const one of progressWrites(job, fraction)) {
    try {
      await write(one);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}

/** Names in a result that the worker was given no URL for. */
async function unexpectedFiles(job: Job, result: JobResult): Promise<string[]> {
  const allowed = new Set(await expectedFiles(job));
  return filesOf(result).filter((file) => !allowed.has(file));
}

function filesOf(result: JobResult): string[] {
  if ('files' in result) return result.files.map(({ file }) => file);
  const tracks = 'tracks' in result ? result.tracks : 'track' in result ? [result.track] : [];
  return tracks.flatMap(({ init, segments }) => [init.file, ...segments.map(({ file }) => file)]);
}
