import { setTimeout as sleep } from 'node:timers/promises';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { Encoders, SyncResponse } from '../../shared/protocol/jobs.ts';
import type { Log } from '../runtime/log.ts';
import { leaseOf, shutdownMessage, shutdownReport } from './report.ts';
import { createJobSlot, type JobSlot } from './run-lease.ts';
import { backoffMs, CallFailed, CallRejected, type FileCall, type SyncCall } from './service-calls.ts';
import type { Settings } from './settings.ts';
import {
  type Identity,
  initialState,
  maxSilenceMs,
  nextStep,
  reduce,
  reportDelayMs,
  syncRequest,
  type WorkerEvent,
  type WorkerState,
} from './state.ts';
import type { WakeUp } from './wake-up.ts';

/** Orchestrators send SIGKILL a few seconds after SIGTERM. */
const shutdownMs = 3_000;

export type Worker = Pick<Settings, 'workerName' | 'workFolder' | 'idleExitSeconds'> &
  Partial<Pick<Settings, 'speech'>> & {
    epoch: string;
    version: string;
    sync: SyncCall;
    askFiles: FileCall;
    log: Log;
    wakeUp: WakeUp;
    /** those of its ffmpeg, as soon as they are known */
    encoders?: () => Encoders | undefined;
    /** takes ingests only */
    fetches?: boolean;
    /** takes transcriptions only */
    transcribes?: boolean;
    /** whether the process is needed although this worker is idle */
    isNeeded?: () => boolean;
    /** called after each response: whether the worker has a job or its report */
    onBusy?: (isBusy: boolean) => void;
    /** aborts when the worker has too little time left for another job */
    drain?: AbortSignal;
    /** aborts when the process has received SIGTERM or SIGINT, or its time ends */
    shutdown: AbortSignal;
  };

type Store = {
  readonly state: WorkerState;
  dispatch: (event: WorkerEvent) => void;
  /** aborts when the running job has stored segments that no call has reported */
  readonly segmentsStored: AbortSignal;
};
type Session = { worker: Worker; store: Store; slot: JobSlot; deadline: AbortSignal };

/**
 * Runs one job after another until the worker is drained, idle for too long, or shut down. Throws what the sync call
 * throws.
 */
export async function work(worker: Worker): Promise<void> {
  const { shutdown } = worker;
  const store = createStore();
  const slot = createJobSlot(worker, store.dispatch);
  const session: Session = { worker, store, slot, deadline: abortsAfter(shutdown, shutdownMs) };
  const stopJob = (): void => slot.stop(new JobError('WORKER_STOPPED', shutdownMessage, { fatal: false }));
  shutdown.addEventListener('abort', stopJob, { once: true });
  try {
    await takeJobs(session);
    await flushFinalReport(session);
  } finally {
    // a revoked token ends the worker while a job runs
    stopJob();
    await slot.removed();
  }
}

function createStore(): Store {
  let state = initialState(Date.now());
  let segmentsStored = new AbortController();
  return {
    get state() {
      return state;
    },
    get segmentsStored() {
      return segmentsStored.signal;
    },
    dispatch: (event) => {
      state = reduce(state, event);
      if (state.hasUnreportedSegments) segmentsStored.abort();
      else if (segmentsStored.signal.aborted) segmentsStored = new AbortController();
    },
  };
}

async function takeJobs(session: Session): Promise<void> {
  const { worker, store, slot } = session;
  const { log, shutdown, wakeUp, isNeeded = () => false } = worker;
  while (!shutdown.aborted) {
    if (wakeUp.signal.aborted) store.dispatch({ type: 'woken' });
    wakeUp.reset();
    if (worker.drain?.aborted) store.dispatch({ type: 'drained' });
    const response = await exchange(session);
    await applyResponse(session, response);
    const nowMs = Date.now();
    store.dispatch({ type: 'responseApplied', nowMs });
    const idleExitSeconds = isNeeded() ? 0 : worker.idleExitSeconds;
    const step = nextStep(store.state, { nextMs: response.nextMs, nowMs, idleExitSeconds, random: Math.random() });
    worker.onBusy?.(store.state.running !== null || store.state.pending !== null);
    switch (step.type) {
      case 'exit':
        return log.info('worker exits', { reason: step.reason });
      case 'awaitJob':
        await waitFor(step.ms, AbortSignal.any([shutdown, store.segmentsStored]), slot.ended());
        await waitFor(reportDelayMs(store.state, Date.now()), shutdown, slot.ended());
        break;
      case 'idle':
        await waitFor(step.ms, AbortSignal.any([shutdown, wakeUp.signal]));
        break;
      case 'pause':
        log.warn('pausing after a failure that this machine may have caused', { pauseMs: step.ms });
        await waitFor(step.ms, shutdown);
        store.dispatch({ type: 'pauseEnded' });
    }
  }
}

/**
 * After the shutdown signal: reports the stopped job, and returns a lease that the response to that report may contain.
 */
async function flushFinalReport(session: Session): Promise<void> {
  const { worker, store, slot, deadline } = session;
  await slot.ended();
  while (store.state.pending && !deadline.aborted) {
    const response = await exchange(session).catch((error) =>
      worker.log.warn('the final report was not delivered', { error }),
    );
    if (!response) return;
    await applyResponse(session, response);
  }
}

/** One sync call. A report that the service does not accept is counted; any other failure of the call throws. */
async function exchange(session: Session): Promise<SyncResponse> {
  const { worker, store, deadline } = session;
  const { pending } = store.state;
  if (pending && pending.failedAttempts > 0) await renewLease(session, leaseOf(pending.report));
  try {
    const request = syncRequest(identityOf(worker), store.state, worker.shutdown.aborted);
    store.dispatch({ type: 'callBegun', nowMs: Date.now() });
    const response = await worker.sync(request, deadline, pending ? { maxAttempts: 1 } : {});
    store.dispatch({ type: 'callAnswered', response });
    return response;
  } catch (error) {
    if (pending && (error instanceof CallRejected || error instanceof CallFailed)) {
      await retryReport(session, pending, error);
      return { nextMs: 0 };
    }
    if (error instanceof CallRejected) return { nextMs: maxSilenceMs };
    throw error;
  }
}

const identityOf = ({ workerName, epoch, version, encoders, fetches, transcribes }: Worker): Identity => ({
  worker: workerName,
  epoch,
  version,
  ...(encoders?.() && { encoders: encoders() }),
  ...(fetches && { fetches }),
  ...(transcribes && { transcribes }),
});

/**
 * Keeps the lease between two attempts to report it. Resolves when the service answers, so that an outage costs no
 * attempt.
 */
async function renewLease({ worker, deadline }: Session, lease: string): Promise<void> {
  await worker.sync({ ...identityOf(worker), running: { lease, progress: 0 } }, deadline);
}

async function retryReport(
  { worker: { log }, store, deadline }: Session,
  { report, failedAttempts }: NonNullable<WorkerState['pending']>,
  error: CallRejected | CallFailed,
): Promise<void> {
  const properties = { lease: leaseOf(report), attempts: failedAttempts + 1, reason: error.message };
  if (error instanceof CallRejected) {
    log.error('the service rejected the report', properties);
    store.dispatch({ type: 'reportRejected' });
    return;
  }
  log.warn('the service failed to accept the report', properties);
  store.dispatch({ type: 'reportFailed' });
  await waitFor(Math.max(backoffMs(failedAttempts), error.waitMs), deadline);
}

/** Cancels the running job or starts the next one, as the service's answer says. */
async function applyResponse({ worker, store, slot }: Session, { cancel, lease }: SyncResponse): Promise<void> {
  const running = store.state.running?.lease;
  if (running !== undefined && cancel === running) {
    worker.log.info('job cancelled', { lease: running });
    slot.stop(new JobError('CANCELLED', 'the job was cancelled'));
    await slot.ended();
  }
  if (!lease || store.state.running) return;
  if (worker.shutdown.aborted) store.dispatch({ type: 'leaseReturned', report: shutdownReport(lease.id) });
  else slot.start(lease);
}

/** Resolves after `ms`, when the signal aborts, or when `ended` does. */
async function waitFor(ms: number, signal: AbortSignal, ended?: Promise<void>): Promise<void> {
  const awake = new AbortController();
  const slept = sleep(ms, undefined, { signal: AbortSignal.any([signal, awake.signal]) }).catch(() => undefined);
  await Promise.race(ended ? [slept, ended] : [slept]);
  awake.abort();
}

/** A signal that aborts `ms` after `signal` does. */
function abortsAfter(signal: AbortSignal, ms: number): AbortSignal {
  const deadline = new AbortController();
  const start = (): void => void setTimeout(() => deadline.abort(new Error('out of time')), ms).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return deadline.signal;
}
