import { day, now, timestamp } from '../../../shared/clock.ts';
import { jobTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { keys } from '../items/keys.ts';
import type { Job, Video } from '../records.ts';
import { analyticsWrites } from '../writes/analytics-writes.ts';
import { leaseFields, queueFields, stragglerFields } from '../writes/job-fields.ts';
import { addProgress } from '../writes/progress-writes.ts';
import { runProgressWrites } from '../writes/reservation-writes.ts';
import { usageWrites } from '../writes/usage-writes.ts';
import { attemptOf, endAttempt } from './job-attempts.ts';
import { findJobs } from './job-table.ts';

export type JobFailure = NonNullable<Job['error']>;

/**
 * A result in the job's item, or the key of the object that has it. Warnings about the source are in the item in both
 * cases.
 */
export type StoredResult = Pick<Job, 'result' | 'resultKey' | 'warnings'>;

/** An attempt with its result. `part` is the part of the plan's work that the job belongs to. */
export type JobCompletion = {
  job: Job;
  attempt: number;
  stored: StoredResult;
  video: Pick<Video, 'ulid' | 'ownerUlid' | 'planNumber' | 'externalUserId'>;
  cpuMilliseconds: number;
  part: string | undefined;
};

/**
 * Moves a job to done with the result of an attempt, the current one or an earlier one, and adds its CPU time to the
 * owner's usage, in place of its estimate, and to the analytics, and its remaining work to the video's progress. False
 * when the job has ended, or has another task token than the one that was read.
 */
export function completeJob(completion: JobCompletion): Promise<boolean> {
  const { job, attempt, stored, video, cpuMilliseconds, part } = completion;
  const ended = endAttempt(job, attempt);
  const tookSeconds = attempt === job.attempt && job.leasedAt ? (now() - Date.parse(job.leasedAt)) / 1000 : undefined;
  const finished = tookSeconds === undefined ? undefined : { kind: job.kind, tookSeconds };
  return tryTransact([
    {
      update: keys.job(job),
      set: {
        status: 'DONE',
        ...stored,
        attempt,
        ...ended.set,
        progress: 1,
        endedAt: timestamp(),
        ...(tookSeconds !== undefined && { tookSeconds }),
      },
      remove: [...leaseFields, ...queueFields, ...ended.remove, 'error', 'stored'],
      when: { equals: { taskToken: job.taskToken }, oneOf: { status: statusesBefore(jobTransitions, 'DONE') } },
    },
    ...usageWrites({
      userUlid: video.ownerUlid,
      metric: 'encoding_cpu',
      externalUserId: video.externalUserId,
      amount: cpuMilliseconds,
      atMilliseconds: now(),
    }),
    ...analyticsWrites(day(), { cpuMs: cpuMilliseconds }),
    ...runProgressWrites(job, video),
    ...addProgress(video, part, (1 - job.progress) * job.workUnits, finished),
  ]);
}

/** Moves a leased job to failed. False when the lease is not the current one. */
export const failJob = (job: Job, lease: string, error: JobFailure): Promise<boolean> =>
  tryWrite({
    update: keys.job(job),
    set: { ...endAttempt(job, attemptOf(job, lease), error.code).set, status: 'FAILED', error, endedAt: timestamp() },
    ...(error.code === 'RESULT_REFUSED' && { add: { refusals: 1 } }),
    remove: leaseFields,
    when: { equals: { lease }, oneOf: { status: statusesBefore(jobTransitions, 'FAILED') } },
  });

/**
 * Fails the job of a silent worker. The lease stays listed until the job is queued again or `clearExpiredLease` is
 * called, so that the next call reports the failure when this one dies before it has. False when the lease is not the
 * current one.
 */
export function expireLease(job: Job, error: JobFailure): Promise<boolean> {
  const { lease = '' } = job;
  return tryWrite({
    update: keys.job(job),
    set: { ...endAttempt(job, attemptOf(job, lease), error.code).set, status: 'FAILED', error, endedAt: timestamp() },
    remove: ['leasedAt', 'speculative', ...stragglerFields],
    when: { equals: { lease }, oneOf: { status: statusesBefore(jobTransitions, 'FAILED') } },
  });
}

/** Takes an expired lease from the list, when no state waits for its job. */
export const clearExpiredLease = (job: Job): Promise<boolean> =>
  tryWrite({
    update: keys.job(job),
    remove: leaseFields,
    when: { equals: { status: 'FAILED', lease: job.lease ?? '' } },
  });

/**
 * Cancels a queued or leased job. Its worker learns of it with its next call. False when the job's status changed after
 * it was read.
 */
export const cancelJob = (job: Job): Promise<boolean> => tryWrite(cancelled(job));

/** Cancels a job that is to be done in another way: late results of its attempts are dropped too. */
export const discardJob = (job: Job): Promise<boolean> => {
  const { set, ...write } = cancelled(job);
  return tryWrite({ ...write, set: { ...set, attempts: {} } });
};

const cancelled = (job: Job) => ({
  update: keys.job(job),
  set: { status: 'CANCELLED', endedAt: timestamp() },
  remove: [...leaseFields, ...queueFields],
  when: { equals: { status: job.status }, oneOf: { status: statusesBefore(jobTransitions, 'CANCELLED') } },
});

/** Cancels all queued and leased jobs of a plan. */
export async function cancelJobs(videoUlid: string, planNumber: number): Promise<void> {
  const jobs = await findJobs(videoUlid, planNumber);
  const open = jobs.filter(({ status }) => status === 'QUEUED' || status === 'LEASED');
  await Promise.all(open.map(cancelJob));
}

/** Adds the CPU time of an attempt whose result is not used to the analytics. False when it was added before. */
export const recordSpentCpu = (job: Job, attempt: number, cpuMilliseconds: number): Promise<boolean> =>
  tryTransact([
    {
      update: keys.job(job),
      set: { [`spentMs${attempt}`]: cpuMilliseconds },
      when: { exists: true, absent: [`spentMs${attempt}`] },
    },
    ...analyticsWrites(day(), { cpuMs: cpuMilliseconds }),
  ]);
