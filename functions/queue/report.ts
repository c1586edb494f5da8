import { now } from '../../shared/clock.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { JobError, type JobErrorCode, StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { type JobResult, jobResultSchemas, type SyncRequest } from '../../shared/protocol/jobs.ts';
import { sendTaskFailure, sendTaskSuccess } from '../aws/executions.ts';
import { isUnavailable } from '../aws/is-unavailable.ts';
import { isWriteRejected } from '../aws/is-write-rejected.ts';
import { ValidationFailed } from '../common/errors.ts';
import { log } from '../common/log.ts';
import { workPart } from '../planning/work-part.ts';
import { ConditionFailed, transact, type Write, write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';
import {
  jobFailure,
  jobResult,
  needsRenewal,
  renewLease,
  type StoredResult,
  takeBack,
} from '../table/jobs/job-table.ts';
import type { Job, Video } from '../table/records.ts';
import { usageWrites } from '../table/statistics/usage-table.ts';
import { noteSpeed } from '../workers/node-capacity.ts';
import { type Caller, poolNode } from './caller.ts';
import { expectedFiles } from './compose-lease.ts';
import { type GivenLease, givenLease, isOpen } from './given-lease.ts';
import { noteDone, noteFailed } from './job-metrics.ts';
import { storeResult } from './job-results.ts';
import { cpuMsOf, noteCpu, noteSpentCpu } from './spent-cpu.ts';

/**
 * Keeps a running lease. False when the worker should stop. One that was given up for its silence gets its job back while nobody else has it; while
 * somebody has, both go on, and the first result counts.
 */
export async function reportRunning(
  caller: Caller,
  { lease, progress }: NonNullable<SyncRequest['running']>,
): Promise<boolean> {
  const known = await givenLease(lease);
  if (!known || !isOpen(known.job)) return false;
  const { job } = known;
  if (job.status === 'QUEUED') {
    const { node, worker, epoch } = caller;
    await takeBack(job, { lease, holder: node, worker, epoch });
  }
  if (job.status !== 'LEASED' || job.lease !== lease) return true;
  const furthest = Math.max(progress, job.progress);
  const shown = furthest - job.progress < readEnvironment('PROGRESS_STEP') ? job.progress : furthest;
  if (!needsRenewal(job) && shown === job.progress) return true;
  if (await renewLease(job, lease, shown)) await addProgress(job, known.about.video, shown - job.progress);
  // A lost race is told by the next call, from what is there then.
  return true;
}

/**
 * Takes a job's result, once: of its holder, or of an earlier one that was given up and is first all the same. What comes for a job that has ended is
 * dropped. Returns what the job was found to be, for the next job is most often of the same video.
 */
export async function reportDone(
  caller: Caller,
  { lease, result }: NonNullable<SyncRequest['done']>,
): Promise<GivenLease | undefined> {
  for (;;) {
    const known = await givenLease(lease);
    if (!known) {
      await noteDropped(lease, result);
      return undefined;
    }
    const { job, attempt } = known;
    // A worker that got no answer reports again; the state machine may not have got its answer either.
    if (job.status === 'DONE' && job.attempt === attempt) {
      await sendTaskSuccess(job.taskToken);
      return known;
    }
    if (!isOpen(job)) {
      await noteDropped(lease, result);
      return known;
    }

    const parsed = jobResultSchemas[job.kind].safeParse(result);
    if (!parsed.success) return refuse(lease, { issues: parsed.error.issues.slice(0, 10) });
    try {
      const unexpected = await unexpectedFiles({ ...job, attempt }, parsed.data);
      if (unexpected.length > 0) return refuse(lease, { unexpected: unexpected.slice(0, 10) });
      await transact(resultWrites(known, parsed.data.cpuSeconds, await storeResult({ ...job, attempt }, parsed.data)));
    } catch (error) {
      // Ended by another worker, or to be answered under another token: look again.
      if (error instanceof ConditionFailed) continue;
      if (isUnavailable(error) || !isWriteRejected(error)) throw error;
      return refuse(lease, { error: error as Error });
    }
    await Promise.all([sendTaskSuccess(job.taskToken), noteCpu(cpuMsOf(parsed.data))]);
    if (job.lease === lease) await noteDone(job);
    if (caller.node !== poolNode && job.lease === lease && job.leasedAt) {
      await noteSpeed(caller.node, job.estimateSeconds, (now() - Date.parse(job.leasedAt)) / 1000);
    }
    return known;
  }
}

/** Of a result that nobody needs any more. */
const noteDropped = (lease: string, result: unknown): Promise<void> =>
  noteSpentCpu(lease, (result as { cpuSeconds?: unknown } | null)?.cpuSeconds);

function resultWrites(
  { job, attempt, about: { video } }: GivenLease,
  cpuSeconds: number,
  stored: StoredResult,
): Write[] {
  return [
    jobResult(job, attempt, stored),
    ...usageWrites({
      userUlid: video.ownerUlid,
      metric: 'encoding_cpu',
      externalUserId: video.externalUserId,
      amount: cpuMsOf({ cpuSeconds }),
      atMilliseconds: now(),
    }),
    ...progressWrites(job, video, 1 - job.progress),
  ];
}

/** Ends an attempt whose result cannot be taken, now or later. The worker hears it as an error of its call and goes on with other work. */
async function refuse(lease: string, why: Record<string, unknown> & { error?: Error }): Promise<never> {
  log.error('the result of a job was refused', { lease, ...why });
  await reportFailed({ lease, code: 'RESULT_REFUSED', fatal: false, message: 'The result could not be stored.' });
  throw new ValidationFailed({ 'done.result': ['The result cannot be stored.'] });
}

/** What another worker makes of a job may be stored; what is refused as often as this, never. */
const mostRefusals = 3;

/** Takes a failure of the job's holder. Whether it is tried again is the state machine's decision, by the error's name. */
export async function reportFailed(failed: NonNullable<SyncRequest['failed']>): Promise<void> {
  const { lease, code, message } = failed;
  const known = await givenLease(lease);
  // What failed elsewhere meanwhile, or again, is told by who holds the job.
  if (!known || known.job.lease !== lease) return;
  const { job } = known;
  if (job.status === 'LEASED') {
    const isLastRefusal = code === 'RESULT_REFUSED' && (job.refusals ?? 0) + 1 >= mostRefusals;
    const failure = { code, message, fatal: failed.fatal || isLastRefusal };
    try {
      await write(jobFailure(job, lease, failure));
    } catch (error) {
      if (error instanceof ConditionFailed) return;
      throw error;
    }
    noteFailed(code);
    await answerFailure(job.taskToken, failure);
  } else if (job.status === 'FAILED' && job.error) await answerFailure(job.taskToken, job.error);
}

/** Tells the state that waits for a job how it failed. False when nobody waits. */
export const answerFailure = (taskToken: string, failure: NonNullable<Job['error']>): Promise<boolean> =>
  sendTaskFailure(taskToken, errorName(failure), `${failure.code}: ${failure.message}`);

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

function progressWrites(job: Job, video: Video, fraction: number): Write[] {
  const part = workPart(job);
  if (part === undefined || fraction <= 0) return [];
  const amount = fraction * job.workUnits;
  return [
    {
      update: keys.progress(job.videoUlid),
      add: { [`done.${part}`]: amount },
      when: { equals: { planNumber: video.planNumber } },
    },
  ];
}

/** Progress is for looking at: a lost race or a new run is no reason to stop a worker. */
async function addProgress(job: Job, video: Video, fraction: number): Promise<void> {
  for (const one of progressWrites(job, video, fraction)) {
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
