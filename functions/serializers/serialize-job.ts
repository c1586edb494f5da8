import type * as z from 'zod';
import { knownCode } from '../../shared/protocol/job-errors.ts';
import type { job as jobSchema } from '../contracts/fields/listed-job-fields.ts';
import type { JobStatus } from '../contracts/statuses.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import type { Job, JobAttempt, User } from '../table/records.ts';

type ShownJob = z.input<typeof jobSchema>;
type ShownAttempt = ShownJob['attempts'][number];

const shownStatus = {
  QUEUED: 'queued',
  LEASED: 'running',
  DONE: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const satisfies Record<JobStatus, string>;

const endedStatuses: readonly JobStatus[] = ['DONE', 'FAILED', 'CANCELLED'];

/** A job as its user sees it. Only administrators see which worker of which node had it. */
export function serializeJob(
  job: Job,
  parts: Pick<ShownJob, 'streams' | 'output'>,
  user: Pick<User, 'isAdmin'>,
): ShownJob {
  const attempts = attemptsOf(job, user);
  return {
    kind: job.kind,
    plan: job.planNumber,
    group: job.group,
    index: job.index,
    ...parts,
    status: shownStatus[job.status],
    progress: job.status === 'DONE' ? 100 : Math.min(99, Math.floor(job.progress * 100)),
    error_code: job.status === 'FAILED' && job.error ? knownCode(job.error.code) : null,
    created_at: job.createdAt,
    started_at: attempts[0]?.started_at ?? null,
    finished_at: endedStatuses.includes(job.status) ? (job.endedAt ?? null) : null,
    attempts,
  };
}

function attemptsOf(job: Job, { isAdmin }: Pick<User, 'isAdmin'>): ShownAttempt[] {
  const numbers = Object.keys(job.attempts)
    .map(Number)
    .toSorted((a, b) => a - b);
  return numbers.map((number, position) => {
    const attempt = job.attempts[number]!;
    const status = attemptStatus(job, number, attempt);
    const next = job.attempts[numbers[position + 1] ?? 0];
    const isPool = attempt.node === poolNode;
    return {
      number,
      status,
      started_at: attempt.startedAt,
      // Nothing reports the end of an attempt that another one has replaced.
      ended_at: status === 'running' ? null : (attempt.endedAt ?? job.endedAt ?? next?.startedAt ?? null),
      error_code: status === 'failed' ? knownCode(attempt.errorCode ?? '') : null,
      node_type: isPool ? ('pool' as const) : ('node' as const),
      node: isAdmin && !isPool ? attempt.node : null,
      worker: isAdmin ? attempt.worker : null,
    };
  });
}

function attemptStatus(job: Job, number: number, { lease, endedAt, errorCode }: JobAttempt): ShownAttempt['status'] {
  if (job.status === 'DONE' && job.attempt === number) return 'completed';
  if (errorCode !== undefined) return 'failed';
  if (endedAt !== undefined) return 'completed';
  if (job.status === 'CANCELLED') return 'cancelled';
  // Beside a speculative lease, the earlier worker continues.
  const isHeld = job.lease === lease || job.speculative === true;
  return job.status === 'LEASED' && isHeld ? 'running' : 'superseded';
}
