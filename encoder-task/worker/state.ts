import type { JobErrorCode } from '../../shared/protocol/job-errors.ts';
import type { StoredSegments, SyncRequest, SyncResponse } from '../../shared/protocol/jobs.ts';
import { leaseOf, type Report, rejectedReport } from './report.ts';

/** What a worker knows between two events. `reduce` computes the next state; nothing else changes it. */
export type WorkerState = {
  /** the lease whose job runs in this process; `progress` is 0 to 1 */
  running: { lease: string; progress: number; stored?: StoredSegments } | null;
  /** the running job has stored segments since the last call began */
  hasUnreportedSegments: boolean;
  /** when the last call with newly stored segments began */
  segmentsReportedMs: number;
  /** the report of the last job, until the service accepts it */
  pending: { report: Report; failedAttempts: number } | null;
  /** the service has answered this process at least once */
  isRegistered: boolean;
  /** the last response was lost; it may have contained a lease */
  responseLost: boolean;
  /** the service asked for no further jobs, or the worker has no time for them */
  isDraining: boolean;
  /** length of the pause after a failure that this machine may have caused; doubles with each such failure */
  pauseMs: number;
  isPauseDue: boolean;
  /** consecutive answers without a job */
  idleResponses: number;
  lastBusyMs: number;
};

export type WorkerEvent =
  | { type: 'jobStarted'; lease: string }
  | { type: 'jobProgressed'; fraction: number }
  | { type: 'segmentsStored'; lease: string; stored: StoredSegments }
  | { type: 'jobEnded'; report: Report }
  | { type: 'leaseReturned'; report: Report }
  | { type: 'callBegun'; nowMs: number }
  | { type: 'callAnswered'; response: SyncResponse }
  | { type: 'reportRejected' }
  | { type: 'reportFailed' }
  | { type: 'responseApplied'; nowMs: number }
  | { type: 'pauseEnded' }
  | { type: 'woken' }
  | { type: 'drained' };

/** What the worker does after it has applied a response. */
export type NextStep =
  | { type: 'call' }
  | { type: 'awaitJob'; ms: number }
  | { type: 'idle'; ms: number }
  | { type: 'pause'; ms: number }
  | { type: 'exit'; reason: 'drained' | 'idle' };

/** A job runs for ten minutes or more. The service declares a worker lost after 45 s without a call. */
export const maxSilenceMs = 10_000;
/** The shortest time between two calls because of stored segments, which last for several seconds each. */
const segmentReportMs = 1000;
/** Attempts to deliver one report. An outage, during which the service answers no call at all, does not count. */
export const maxReportAttempts = 5;
/**
 * Longest interval between polls of an empty queue. The service starts a Fargate task for a job that no node has
 * fetched after 20 s.
 */
const maxIdleMs = 20_000;
/** A worker that exits when it is idle calls at least about this often before. */
const idleCalls = 10;

/**
 * Errors that more likely come from this machine than from the job. A job has four attempts, and a machine that fails
 * at once asks first for the next job: without a pause it would use up all four.
 */
const machineFaults: ReadonlySet<string> = new Set<JobErrorCode>(['DISK_FULL', 'INTERNAL']);
const firstPauseMs = 15_000;
/** The service marks a node as failed when its workers have not called for 90 s. */
const maxPauseMs = 60_000;

export const initialState = (nowMs: number): WorkerState => ({
  running: null,
  hasUnreportedSegments: false,
  segmentsReportedMs: 0,
  pending: null,
  isRegistered: false,
  responseLost: false,
  isDraining: false,
  pauseMs: 0,
  isPauseDue: false,
  idleResponses: 0,
  lastBusyMs: nowMs,
});

/** The state after an event. */
export function reduce(state: WorkerState, event: WorkerEvent): WorkerState {
  switch (event.type) {
    case 'jobStarted':
      return { ...state, running: { lease: event.lease, progress: 0 } };
    case 'jobProgressed':
      return { ...state, running: state.running && withProgress(state.running, event.fraction) };
    case 'segmentsStored':
      return state.running?.lease === event.lease
        ? { ...state, running: { ...state.running, stored: event.stored }, hasUnreportedSegments: true }
        : state;
    case 'jobEnded':
      return {
        ...state,
        ...pauseAfter(event.report, state),
        running: null,
        hasUnreportedSegments: false,
        pending: newReport(event.report),
      };
    case 'leaseReturned':
      return { ...state, pending: newReport(event.report) };
    case 'callBegun':
      return state.hasUnreportedSegments
        ? { ...state, segmentsReportedMs: event.nowMs, hasUnreportedSegments: false }
        : state;
    case 'callAnswered':
      return answered(state, event.response);
    case 'reportRejected':
      return { ...state, pending: replacement(state.pending) };
    case 'reportFailed':
      return { ...state, responseLost: true, pending: withFailedAttempt(state.pending) };
    case 'responseApplied':
      return isBusy(state)
        ? { ...state, lastBusyMs: event.nowMs, idleResponses: 0 }
        : { ...state, idleResponses: state.idleResponses + (state.isPauseDue ? 0 : 1) };
    case 'pauseEnded':
      return { ...state, isPauseDue: false };
    case 'woken':
      return { ...state, idleResponses: 0 };
    case 'drained':
      return { ...state, isDraining: true };
  }
}

const isBusy = ({ running, pending }: WorkerState): boolean => running !== null || pending !== null;

const newReport = (report: Report): WorkerState['pending'] => ({ report, failedAttempts: 0 });

const withProgress = (running: NonNullable<WorkerState['running']>, fraction: number) => ({
  ...running,
  progress: Math.max(running.progress, Math.min(1, fraction || 0)),
});

function pauseAfter(report: Report, { pauseMs }: WorkerState): Pick<WorkerState, 'pauseMs' | 'isPauseDue'> {
  const isPauseDue = 'failed' in report && machineFaults.has(report.failed.code);
  return { isPauseDue, pauseMs: isPauseDue ? Math.min(Math.max(firstPauseMs, 2 * pauseMs), maxPauseMs) : 0 };
}

function answered(state: WorkerState, { acknowledged, drain }: SyncResponse): WorkerState {
  const isAccepted = state.pending !== null && leaseOf(state.pending.report) === acknowledged;
  return {
    ...state,
    isRegistered: true,
    responseLost: false,
    isDraining: state.isDraining || drain === true,
    pending: isAccepted ? null : state.pending,
  };
}

/**
 * A report that the service does not accept must not block further jobs: a result becomes a failure, a failure is
 * dropped.
 */
const replacement = (pending: WorkerState['pending']): WorkerState['pending'] =>
  pending && 'done' in pending.report ? newReport(rejectedReport(pending.report.done)) : null;

function withFailedAttempt(pending: WorkerState['pending']): WorkerState['pending'] {
  if (!pending) return null;
  const failedAttempts = pending.failedAttempts + 1;
  return failedAttempts >= maxReportAttempts ? replacement(pending) : { ...pending, failedAttempts };
}

export type Identity = Pick<SyncRequest, 'worker' | 'epoch' | 'version' | 'encoders' | 'fetches' | 'transcribes'>;

/** The sync call that reports a state. */
export function syncRequest(identity: Identity, state: WorkerState, isShuttingDown: boolean): SyncRequest {
  return {
    ...identity,
    ...(!state.isRegistered && { hello: true }),
    ...(state.responseLost && { again: true }),
    ...(state.running && { running: state.running }),
    ...state.pending?.report,
    ...((state.isDraining || state.isPauseDue || isShuttingDown) && { leaving: true }),
  };
}

type Circumstances = {
  /** the interval that the service asked for */
  nextMs: number;
  nowMs: number;
  /** 0 means never */
  idleExitSeconds: number;
  /** from 0 to 1: spreads the calls of workers that started at the same time */
  random: number;
};

/** The step that follows an applied answer. */
export function nextStep(state: WorkerState, { nextMs, nowMs, idleExitSeconds, random }: Circumstances): NextStep {
  if (state.running) return { type: 'awaitJob', ms: state.hasUnreportedSegments ? 0 : Math.min(nextMs, maxSilenceMs) };
  if (state.pending) return { type: 'call' };
  if (state.isDraining) return { type: 'exit', reason: 'drained' };
  const exitMs = idleExitSeconds > 0 ? state.lastBusyMs + idleExitSeconds * 1000 - nowMs : Number.POSITIVE_INFINITY;
  if (exitMs <= 0) return { type: 'exit', reason: 'idle' };
  if (state.isPauseDue) return { type: 'pause', ms: state.pauseMs };
  // A worker that exits soon while idle costs more than its calls.
  const longestMs = idleExitSeconds > 0 ? Math.min(maxIdleMs, (idleExitSeconds * 1000) / idleCalls) : maxIdleMs;
  const doublings = Math.min(Math.max(0, state.idleResponses - 1), 20);
  const pollMs = Math.min(nextMs * 2 ** doublings, longestMs) * (0.75 + random / 4);
  return { type: 'idle', ms: Math.min(pollMs, exitMs) };
}

/** How long the worker waits before it calls because of stored segments. */
export const reportDelayMs = (state: WorkerState, nowMs: number): number =>
  state.hasUnreportedSegments ? Math.max(0, state.segmentsReportedMs + segmentReportMs - nowMs) : 0;
