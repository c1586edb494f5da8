import { JobError, StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { QuotaExceeded } from '../common/errors.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { findUser } from '../table/accounts/user-table.ts';
import { remainingWork, reservePlannedWork, type Work } from '../table/jobs/planned-work.ts';
import type { Run } from '../table/videos/run.ts';
import { encodeWork } from './encode-work.ts';

/**
 * Holds the estimated CPU seconds of a plan of the owner's quota. Only the probe shows how much work a source is, so a
 * quota that allowed the upload may be too small for it. Then the run fails here, before anything is encoded.
 * @throws JobError QUOTA_EXCEEDED; StateError when the video or its owner changed, for another attempt
 */
export async function reserveWork(run: Run, plan: Plan, done: Work): Promise<void> {
  const owner = await findUser(run.whole.video.ownerUlid);
  if (!owner) return;
  const planned = encodeWork(plan);
  const planSeconds = planned.seconds;
  const remaining = remainingWork(planned, done).seconds;
  const isHeld = await reservePlannedWork(run, owner, { planSeconds, remaining }).catch((error: unknown) => {
    throw error instanceof QuotaExceeded ? exceeded(remaining) : error;
  });
  if (!isHeld) throw new StateError(stateErrors.jobTransient, 'INTERNAL', 'The video changed while it was planned.');
}

const exceeded = (seconds: number): JobError =>
  new JobError(
    'QUOTA_EXCEEDED',
    `The video needs about ${Math.ceil(seconds)} CPU seconds, more than is left of this month's quota. Process it again next month or with a smaller template, or ask the administrator for a higher quota.`,
  );
