import type { JobResult, SyncRequest } from '../../shared/protocol/jobs.ts';
import type { Report } from './run-lease.ts';

/** Tries of one report, each between two other calls that the service answers. An outage, in which it answers none, does not count. */
export const mostReportTries = 5;

/**
 * The report that a worker still has to hand in. What the service refuses, or fails to take again and again, must not keep the worker from other jobs: a
 * result becomes a failure of its attempt, so that the service need not wait for the lease to end, and a failure is dropped.
 */
export function createPendingReport() {
  let report: Report | undefined;
  let failedTries = 0;

  const replace = (next: Report | undefined): void => {
    report = next;
    failedTries = 0;
  };
  const giveUp = (): void => replace(report && 'done' in report ? refusedReport(report.done) : undefined);

  return {
    get current(): Report | undefined {
      return report;
    },
    get failedTries(): number {
      return failedTries;
    },
    put: (next: Report): void => replace(next),
    /** The service has it, or does not want it any more. */
    acknowledge(lease: string | undefined): void {
      if (report && leaseOf(report) === lease) replace(undefined);
    },
    /** The service will not take it. */
    refuse: giveUp,
    /** The service could not take it. */
    fail(): void {
      failedTries += 1;
      if (failedTries >= mostReportTries) giveUp();
    },
  };
}

const refusedReport = ({ lease, result }: NonNullable<SyncRequest['done']>): Report => {
  const { cpuSeconds } = result as JobResult;
  const message = 'the service did not take the result';
  return { failed: { lease, code: 'RESULT_REFUSED', fatal: false, message, cpuSeconds } };
};

export const leaseOf = (report: Report): string => ('done' in report ? report.done.lease : report.failed.lease);
