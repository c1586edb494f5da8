import { timestamp } from '../../../shared/clock.ts';
import type { Changes } from '../items/expression.ts';
import type { Job, JobAttempt } from '../records.ts';

/** Attempts of one job that are kept. An attempt is about 300 bytes, and an item may have 400 KB. */
export const maxAttempts = 20;

const pathOf = (attempt: number): string => `attempts.${attempt}`;

/** Adds an attempt to a job's item, in place of the oldest one when there are too many. */
export const startAttempt = (number: number, attempt: Omit<JobAttempt, 'startedAt'>) => ({
  set: { [pathOf(number)]: { ...attempt, startedAt: timestamp() } },
  remove: number > maxAttempts ? [pathOf(number - maxAttempts)] : [],
});

/** Ends an attempt, with an error code if it failed. Nothing for an attempt that is not kept. */
export const endAttempt = (job: Job, number: number | undefined, errorCode?: string) =>
  changesOf(job, number, (path) => ({
    set: { [`${path}.endedAt`]: timestamp(), ...(errorCode !== undefined && { [`${path}.errorCode`]: errorCode }) },
    // The worker of an expired lease has delivered a result.
    remove: errorCode === undefined ? [`${path}.errorCode`] : [],
  }));

/** Continues an attempt whose lease had expired. */
export const resumeAttempt = (job: Job, number: number | undefined) =>
  changesOf(job, number, (path) => ({ set: {}, remove: [`${path}.endedAt`, `${path}.errorCode`] }));

type AttemptChanges = Required<Pick<Changes, 'set' | 'remove'>>;

const changesOf = (job: Job, number: number | undefined, changes: (path: string) => AttemptChanges): AttemptChanges =>
  number !== undefined && job.attempts[number] ? changes(pathOf(number)) : { set: {}, remove: [] };

/** The attempt that a lease was given for. Undefined when the job never had the lease, or had it many attempts ago. */
export function attemptOf(job: Job, lease: string): number | undefined {
  const found = Object.entries(job.attempts).find(([, attempt]) => attempt.lease === lease);
  return found && Number(found[0]);
}
