import { setTimeout as sleep } from 'node:timers/promises';
import { JobError, type JobErrorCode } from '../../shared/protocol/job-errors.ts';
import type { Lease, SyncRequest, SyncResponse } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';
import { createPendingReport, leaseOf } from './pending-report.ts';
import { type Report, runLease } from './run-lease.ts';
import { backoffMs, CallFailed, CallRefused, type FileCall, type SyncCall } from './service-calls.ts';
import type { Settings } from './settings.ts';
import type { WakeUp } from './wake-up.ts';

/** A job runs ten minutes and more; the service calls a worker lost after 45 s of silence. */
const longestSilenceMs = 10_000;
/** Orchestrators kill what is still there a few seconds after SIGTERM. */
const goodbyeMs = 3_000;

/**
 * Ends of a job that say more of this machine than of the job. A machine that fails in no time is first to ask again, and a job has four tries: whoever
 * went on at once would spend them all.
 */
const machineFaults: readonly JobErrorCode[] = ['DISK_FULL', 'INTERNAL'];
const firstRestMs = 15_000;
/** A node whose workers do not call for 90 s has failed. */
const longestRestMs = 60_000;

/** The queue is looked at less and less while it is empty. A Fargate task takes what a node has not fetched after 20 s. */
const longestIdleMs = 20_000;

type Running = { lease: Lease; progress: number; abort: AbortController; ended: Promise<void> };

export type Worker = Pick<Settings, 'workerName' | 'workFolder' | 'idleExitSeconds'> & {
  epoch: string;
  version: string;
  sync: SyncCall;
  askFiles: FileCall;
  log: Log;
  wakeUp: WakeUp;
  /** aborts when the process has been asked to end */
  shutdown: AbortSignal;
};

/** Takes one job after the other until it is drained, idle for too long, or shut down. Throws what the sync call throws. */
export async function work(worker: Worker): Promise<void> {
  const { sync, log, shutdown } = worker;
  const pending = createPendingReport();
  let running: Running | undefined;
  /** an answer that did not come may have had a lease in it */
  let unanswered = false;
  let draining = false;
  let restMs = 0;
  let resting = false;
  let greeted = false;
  let lastBusyMs = Date.now();
  /** answers in a row without a job */
  let idleAnswers = 0;
  const goodbye = deadlineAfter(shutdown, goodbyeMs);

  const start = (lease: Lease): void => {
    const abort = new AbortController();
    const jobLog = log.with({ lease: lease.id, kind: lease.kind });
    jobLog.info('job started');
    const entry: Running = { lease, progress: 0, abort, ended: Promise.resolve() };
    const reportProgress = (fraction: number): void => {
      entry.progress = Math.max(entry.progress, Math.min(1, fraction || 0));
    };
    entry.ended = runLease({ ...worker, lease, signal: abort.signal, log: jobLog, reportProgress }).then((ended) => {
      running = undefined;
      resting = 'failed' in ended && machineFaults.some((code) => code === ended.failed.code);
      restMs = resting ? Math.min(Math.max(firstRestMs, 2 * restMs), longestRestMs) : 0;
      // Of a job that was cancelled only what it has cost is of use.
      pending.put(ended);
    });
    running = entry;
  };

  const call = async (): Promise<SyncResponse> => {
    const report = pending.current;
    const self = { worker: worker.workerName, epoch: worker.epoch, version: worker.version };
    // Shows whether the service answers at all, and keeps the lease.
    if (report && pending.failedTries > 0)
      await sync({ ...self, running: { lease: leaseOf(report), progress: 0 } }, goodbye);
    const request: SyncRequest = {
      ...self,
      ...(!greeted && { hello: true }),
      ...(unanswered && { again: true }),
      ...(running && { running: { lease: running.lease.id, progress: running.progress } }),
      ...report,
      ...((draining || resting || shutdown.aborted) && { leaving: true }),
    };
    try {
      const response = await sync(request, goodbye, report ? { mostTries: 1 } : {});
      greeted = true;
      unanswered = false;
      pending.acknowledge(response.acknowledged);
      return response;
    } catch (error) {
      if (error instanceof CallRefused && !report) return { nextMs: longestSilenceMs };
      if (!report || !(error instanceof CallRefused || error instanceof CallFailed)) throw error;
      return reportFailed(report, error);
    }
  };

  const reportFailed = async (report: Report, error: CallRefused | CallFailed): Promise<SyncResponse> => {
    const facts = { lease: leaseOf(report), tries: pending.failedTries + 1, reason: error.message };
    if (error instanceof CallRefused) {
      log.error('the service refused the report', facts);
      pending.refuse();
      return { nextMs: 0 };
    }
    log.warn('the service did not take the report', facts);
    unanswered = true;
    const waitMs = Math.max(backoffMs(pending.failedTries), error.waitMs);
    pending.fail();
    await waitFor(undefined, waitMs, goodbye);
    return { nextMs: 0 };
  };

  const heed = async (response: SyncResponse): Promise<void> => {
    if (response.drain) draining = true;
    if (running && response.cancel === running.lease.id) {
      log.info('job cancelled', { lease: running.lease.id });
      running.abort.abort(new JobError('CANCELLED', 'the job was cancelled'));
      await running.ended;
    }
    if (response.lease && !running) {
      if (shutdown.aborted) pending.put(stoppedReport(response.lease.id));
      else start(response.lease);
    }
  };

  const stopRunning = (): void =>
    running?.abort.abort(new JobError('WORKER_STOPPED', shutdownMessage, { fatal: false }));
  shutdown.addEventListener('abort', stopRunning, { once: true });
  try {
    await takeJobs();
    await sayGoodbye();
  } finally {
    // a revoked token ends the worker in the middle of a job
    stopRunning();
    await running?.ended;
  }

  async function takeJobs(): Promise<void> {
    while (!shutdown.aborted) {
      if (worker.wakeUp.signal.aborted) idleAnswers = 0;
      worker.wakeUp.reset();
      const response = await call();
      await heed(response);
      if (running || pending.current) {
        lastBusyMs = Date.now();
        idleAnswers = 0;
      }
      if (!running && !pending.current) {
        if (draining) return log.info('drained');
        const idleSeconds = (Date.now() - lastBusyMs) / 1000;
        if (worker.idleExitSeconds > 0 && idleSeconds >= worker.idleExitSeconds)
          return log.info('idle', { idleSeconds });
        if (resting) {
          log.warn('this machine may be at fault: no job for a while', { restMs });
          await waitFor(undefined, restMs, shutdown);
          resting = false;
          continue;
        }
      }
      if (running) await waitFor(running.ended, Math.min(response.nextMs, longestSilenceMs), shutdown);
      else if (!pending.current) {
        const exitMs =
          worker.idleExitSeconds > 0
            ? lastBusyMs + worker.idleExitSeconds * 1000 - Date.now()
            : Number.POSITIVE_INFINITY;
        const waitMs = Math.min(idleWaitMs(response.nextMs, idleAnswers++), Math.max(exitMs, 1));
        await waitFor(undefined, waitMs, AbortSignal.any([shutdown, worker.wakeUp.signal]));
      }
    }
  }

  async function sayGoodbye(): Promise<void> {
    await running?.ended;
    // the answer to a report may be the next job; it is handed back in its turn
    while (pending.current && !goodbye.aborted) {
      const response = await call().catch((error) => log.warn('the report was not taken', { error }));
      if (response) await heed(response);
      else return;
    }
  }
}

const shutdownMessage = 'worker is shutting down';

const stoppedReport = (lease: string): Report => ({
  failed: { lease, code: 'WORKER_STOPPED', fatal: false, message: shutdownMessage },
});

/** Twice as long each time, with jitter, so that workers which were started together do not call together. */
const idleWaitMs = (nextMs: number, idleAnswers: number): number =>
  Math.min(nextMs * 2 ** Math.min(idleAnswers, 20), longestIdleMs) * (0.75 + Math.random() / 4);

/** Resolves after `ms`, or when `ended` or `signal` do first. */
async function waitFor(ended: Promise<void> | undefined, ms: number, signal: AbortSignal): Promise<void> {
  const awake = new AbortController();
  const slept = sleep(ms, undefined, { signal: AbortSignal.any([signal, awake.signal]) }).catch(() => undefined);
  await Promise.race(ended ? [slept, ended] : [slept]);
  awake.abort();
}

/** A signal that aborts `ms` after `signal` does. */
function deadlineAfter(signal: AbortSignal, ms: number): AbortSignal {
  const deadline = new AbortController();
  const start = (): void => void setTimeout(() => deadline.abort(new Error('out of time')), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return deadline.signal;
}
