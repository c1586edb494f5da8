import type { JobResult, SyncRequest } from '../../shared/protocol/jobs.ts';

/** The end of a lease, in the form that the next sync call sends. */
export type Report = { done: NonNullable<SyncRequest['done']> } | { failed: NonNullable<SyncRequest['failed']> };

export const leaseOf = (report: Report): string => ('done' in report ? report.done.lease : report.failed.lease);

/** Replaces a result that the service rejected, so that the job is retried now and not only when the lease expires. */
export function rejectedReport({ lease, result }: NonNullable<SyncRequest['done']>): Report {
  const { cpuSeconds } = result as JobResult;
  const message = 'the service rejected the result';
  return { failed: { lease, code: 'RESULT_REFUSED', fatal: false, message, cpuSeconds } };
}

export const shutdownMessage = 'worker is shutting down';

/** Returns a lease that arrived during the shutdown. */
export const shutdownReport = (lease: string): Report => ({
  failed: { lease, code: 'WORKER_STOPPED', fatal: false, message: shutdownMessage },
});
