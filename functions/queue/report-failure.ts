import { JobError, type JobErrorCode, StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import type { SyncRequest } from '../../shared/protocol/jobs.ts';
import { failJob } from '../table/jobs/job-endings.ts';
import { findGrantedLease } from './granted-lease.ts';
import { emitJobFailed } from './job-metrics.ts';
import { announceFailed } from './job-owner.ts';

/**
 * How often results of a job may be refused. Another worker may deliver a result that can be stored; after this many
 * refusals none will.
 */
const maxRefusals = 3;

/**
 * Fails the job of a lease, if the lease is the current one. The state machine decides by the error's name whether it
 * retries.
 */
export async function reportFailed({ lease, code, message, fatal }: NonNullable<SyncRequest['failed']>): Promise<void> {
  const granted = await findGrantedLease(lease);
  // The holder of the current lease reports how the job ends.
  if (!granted || granted.job.lease !== lease) return;
  const { job } = granted;
  if (job.status === 'LEASED') {
    const isLastRefusal = code === 'RESULT_REFUSED' && (job.refusals ?? 0) + 1 >= maxRefusals;
    const failure = { code, message, fatal: fatal || isLastRefusal };
    if (!(await failJob(job, lease, failure))) return;
    emitJobFailed(code);
    await announceFailed(job, failure);
  } else if (job.status === 'FAILED' && job.error) await announceFailed(job, job.error);
}

/** A job error as an error that the state machine knows by name. Other errors are returned as they are. */
export const asStateError = (error: unknown): unknown =>
  error instanceof JobError
    ? new StateError(
        error.fatal ? stateErrors.jobFatal : stateErrors.jobTransient,
        error.code as JobErrorCode,
        error.message,
      )
    : error;
