import { now, timestamp } from '../../../shared/clock.ts';
import { isForFetchers } from '../../../shared/protocol/job-kinds.ts';
import { jobTransitions, statusesBefore } from '../../contracts/statuses.ts';
import { tryWrite } from '../items/conditional.ts';
import { due } from '../items/due-keys.ts';
import { below } from '../items/expression.ts';
import { ConditionFailed, type Write, write } from '../items/items.ts';
import { keys, leaseList, stragglerPosition } from '../items/keys.ts';
import type { JobId } from '../job-id.ts';
import { poolNode } from '../nodes/pool-node.ts';
import { type Job, parseJob, type StoredByAttempt } from '../records.ts';
import { queueFields, stragglerFields } from '../writes/job-fields.ts';
import { attemptOf, resumeAttempt, startAttempt } from './job-attempts.ts';

/** How long a lease lasts after a renewal. */
const leaseSeconds = 75;
/** A call renews a lease that has less time left. A silent worker keeps its lease for at least this long. */
const renewalSeconds = 45;

/** A lease and the worker that gets it. */
export type Holder = { lease: string; holder: string; worker: string; epoch: string };

const newExpiry = ({ kind }: Pick<JobId, 'kind'>, holder: string, lease: string) => {
  const leaseExpiresAt = timestamp(now() + leaseSeconds * 1000);
  return { leaseExpiresAt, ...due(holder === poolNode ? poolKind(kind) : 'node-lease', lease, leaseExpiresAt) };
};

function poolKind(kind: JobId['kind']): 'pool-fetch' | 'pool-transcription' | 'pool-lease' {
  if (isForFetchers(kind)) return 'pool-fetch';
  return kind === 'transcribe' ? 'pool-transcription' : 'pool-lease';
}

const leasedBy = (job: Pick<JobId, 'kind'>, { lease, holder, worker, epoch }: Holder) => ({
  lease,
  leaseHolder: holder,
  leaseList: leaseList(holder, worker, poolNode),
  ...newExpiry(job, holder, lease),
  worker,
  epoch,
});

const attemptBy = ({ lease, holder, worker }: Holder, number: number) =>
  startAttempt(number, { lease, node: holder, worker });

/** Leases a queued job to a worker. Undefined when another call was faster. */
export function leaseJob(job: JobId & Pick<Job, 'attempt'>, to: Holder): Promise<Job | undefined> {
  const attempt = attemptBy(to, job.attempt + 1);
  return updatedJob({
    update: keys.job(job),
    set: { ...leasedBy(job, to), status: 'LEASED', leasedAt: timestamp(), ...attempt.set },
    add: { attempt: 1 },
    remove: [...queueFields, ...attempt.remove],
    when: { equals: { attempt: job.attempt }, oneOf: { status: statusesBefore(jobTransitions, 'LEASED') } },
  });
}

/**
 * Gives a leased job to a second worker. The first worker continues and may deliver its result first. Once for each
 * time a job is queued. Undefined when the job changed after it was read.
 */
export function leaseSpeculative(job: Job, to: Holder): Promise<Job | undefined> {
  const attempt = attemptBy(to, job.attempt + 1);
  return updatedJob({
    update: keys.job(job),
    set: { ...leasedBy(job, to), leasedAt: timestamp(), speculative: true, ...attempt.set },
    add: { attempt: 1 },
    remove: [...attempt.remove, ...stragglerFields],
    when: { equals: { status: 'LEASED', attempt: job.attempt }, absent: ['speculative'] },
  });
}

/** Leases a requeued job to the worker whose lease had expired. Undefined when another worker has it. */
export const restoreLease = (job: Job, to: Holder): Promise<Job | undefined> =>
  updatedJob({
    update: keys.job(job),
    set: { ...leasedBy(job, to), status: 'LEASED' },
    remove: [...queueFields, ...resumeAttempt(job, attemptOf(job, to.lease)).remove],
    when: { equals: { attempt: job.attempt }, oneOf: { status: statusesBefore(jobTransitions, 'LEASED') } },
  });

export const needsRenewal = (job: Job): boolean =>
  (job.leaseExpiresAt ?? '') < timestamp(now() + renewalSeconds * 1000);

type Renewal = {
  progress: number;
  stored?: StoredByAttempt | undefined;
  /** lists the job as a possible straggler */
  straggles?: boolean;
};

/** Renews a lease and stores the job's progress. False when the lease is not the current one. */
export const renewLease = (job: Job, lease: string, { progress, stored, straggles }: Renewal): Promise<boolean> =>
  recordRunning(job, lease, {
    ...newExpiry(job, job.leaseHolder ?? '', lease),
    progress,
    stored,
    ...(straggles && { straggles: true, ...stragglerPosition(job) }),
  });

/**
 * Stores what the holder of a lease has stored, and does not renew the lease: another expiry is also a write of an
 * index. False when the lease is not the current one, or another call was faster.
 */
export const recordStored = (job: Job, lease: string, stored: StoredByAttempt): Promise<boolean> =>
  recordRunning(job, lease, { stored });

type RunningChanges = { stored?: StoredByAttempt | undefined } & Record<string, unknown>;

const recordRunning = (job: Job, lease: string, changes: RunningChanges): Promise<boolean> =>
  tryWrite({
    update: keys.job(job),
    set: { ...changes },
    when: {
      equals: { status: 'LEASED', lease, ...(changes.stored && storedAsRead(job)) },
      absent: changes.stored && !job.stored ? ['stored'] : [],
    },
  });

/** A repeated call may arrive after the next one: then it must not replace a larger count. */
const storedAsRead = ({ stored }: Job): Record<string, unknown> =>
  stored ? below('stored', { attempt: stored.attempt, run: stored.run, segments: stored.segments }) : {};

/** When a lease was last renewed. */
export const renewedAt = ({ leaseExpiresAt = '' }: Job): string =>
  timestamp(Date.parse(leaseExpiresAt) - leaseSeconds * 1000);

async function updatedJob(update: Write): Promise<Job | undefined> {
  try {
    return parseJob(await write(update));
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}
