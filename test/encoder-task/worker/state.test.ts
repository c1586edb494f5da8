import { describe, expect, test } from 'vitest';
import type { Report } from '../../../encoder-task/worker/report.ts';
import {
  initialState,
  maxReportAttempts,
  maxSilenceMs,
  nextStep,
  reduce,
  reportDelayMs,
  syncRequest,
  type WorkerEvent,
  type WorkerState,
} from '../../../encoder-task/worker/state.ts';

const startMs = 1_000_000;
const identity = { worker: 'w1', epoch: 'e1', version: '1' };
const result: Report = { done: { lease: 'L1', result: { cpuSeconds: 7 } } };
const failure = (code: string): Report => ({ failed: { lease: 'L1', code, fatal: false, message: 'x' } });

const stateAfter = (...events: WorkerEvent[]): WorkerState => events.reduce(reduce, initialState(startMs));
const answer = (response: object = {}): WorkerEvent => ({
  type: 'callAnswered',
  response: { nextMs: 1000, ...response },
});
const applied = (nowMs = startMs): WorkerEvent => ({ type: 'responseApplied', nowMs });
const step = (state: WorkerState, more: Partial<Parameters<typeof nextStep>[1]> = {}) =>
  nextStep(state, { nextMs: 1000, nowMs: startMs, idleExitSeconds: 0, random: 1, ...more });

describe('the sync call', () => {
  test('introduces a new process until the service has answered', () => {
    expect(syncRequest(identity, stateAfter(), false)).toEqual({ ...identity, hello: true });
    expect(syncRequest(identity, stateAfter(answer()), false)).toEqual(identity);
  });

  test('contains the running lease with its progress, which never decreases and stays within 0 and 1', () => {
    const started: WorkerEvent = { type: 'jobStarted', lease: 'L1' };
    const progressed = (fraction: number): WorkerEvent => ({ type: 'jobProgressed', fraction });
    const progress = (...events: WorkerEvent[]) => syncRequest(identity, stateAfter(started, ...events), false).running;
    expect(progress()).toEqual({ lease: 'L1', progress: 0 });
    expect(progress(progressed(0.5), progressed(0.2))).toEqual({ lease: 'L1', progress: 0.5 });
    expect(progress(progressed(Number.NaN), progressed(3))).toEqual({ lease: 'L1', progress: 1 });
  });

  test('contains the report of the last job until it is acknowledged', () => {
    const ended = stateAfter(answer(), { type: 'jobStarted', lease: 'L1' }, { type: 'jobEnded', report: result });
    expect(syncRequest(identity, ended, false)).toEqual({ ...identity, ...result });
    expect(reduce(ended, answer({ acknowledged: 'L0' })).pending).not.toBeNull();
    expect(reduce(ended, answer({ acknowledged: 'L1' })).pending).toBeNull();
  });

  test('is marked as repeated after a lost answer, until the next answer', () => {
    const lost = stateAfter({ type: 'jobEnded', report: result }, { type: 'reportFailed' });
    expect(syncRequest(identity, lost, false)).toMatchObject({ again: true });
    expect(syncRequest(identity, reduce(lost, answer()), false)).not.toHaveProperty('again');
  });

  test('announces the exit when the worker drains, pauses or shuts down', () => {
    const leaving = (state: WorkerState, isShuttingDown = false) =>
      syncRequest(identity, state, isShuttingDown).leaving;
    expect(leaving(stateAfter())).toBeUndefined();
    expect(leaving(stateAfter(), true)).toBe(true);
    expect(leaving(stateAfter(answer({ drain: true })))).toBe(true);
    expect(leaving(stateAfter({ type: 'jobEnded', report: failure('INTERNAL') }))).toBe(true);
  });
});

describe('stored segments', () => {
  const stored = (segments: number, lease = 'L1'): WorkerEvent => ({
    type: 'segmentsStored',
    lease,
    stored: { segments, run: 1, codecs: { v: 'avc1.640028' } },
  });
  const begun = (nowMs = startMs): WorkerEvent => ({ type: 'callBegun', nowMs });
  const running = (...events: WorkerEvent[]) => stateAfter({ type: 'jobStarted', lease: 'L1' }, ...events);
  const sent = (state: WorkerState) => syncRequest(identity, state, false).running;

  test('are part of each call about their job, with the progress', () => {
    const state = running(stored(1), stored(2), { type: 'jobProgressed', fraction: 0.5 }, begun());
    expect(sent(state)).toMatchObject({ lease: 'L1', progress: 0.5, stored: { segments: 2 } });
    expect(sent(reduce(state, begun()))).toMatchObject({ stored: { segments: 2 } });
    expect(sent(running())).not.toHaveProperty('stored');
    expect(sent(running(stored(1, 'L0')))).not.toHaveProperty('stored');
    const next: WorkerEvent[] = [
      { type: 'jobEnded', report: result },
      { type: 'jobStarted', lease: 'L2' },
    ];
    expect(sent(running(stored(1), ...next))).not.toHaveProperty('stored');
  });

  test('cause a call at once, and another one a second later at the earliest', () => {
    const first = running(begun(startMs - 1), stored(1));
    expect(step(first)).toEqual({ type: 'awaitJob', ms: 0 });
    expect(reportDelayMs(first, startMs)).toBe(0);
    const second = reduce(reduce(reduce(first, begun()), begun(startMs + 100)), stored(2));
    expect(step(second)).toEqual({ type: 'awaitJob', ms: 0 });
    expect([0, 400, 1000, 5000].map((ms) => reportDelayMs(second, startMs + ms))).toEqual([1000, 600, 0, 0]);
  });

  test('cause no further call once a call has begun with them, and none when the job has ended', () => {
    for (const last of [begun(startMs + 1), { type: 'jobEnded', report: result } as const]) {
      const state = running(stored(1), last);
      expect(state.hasUnreportedSegments).toBe(false);
      expect(reportDelayMs(state, startMs)).toBe(0);
    }
    expect(step(running(stored(1), begun()))).toEqual({ type: 'awaitJob', ms: 1000 });
    expect(running(stored(1), begun(), stored(2)).hasUnreportedSegments).toBe(true);
    expect(running(stored(1, 'L0')).hasUnreportedSegments).toBe(false);
  });
});

describe('a report that the service does not accept', () => {
  const rejected = { failed: { lease: 'L1', code: 'RESULT_REFUSED', fatal: false, cpuSeconds: 7 } };

  test('becomes a failure with the CPU time of the job if it was a result, and is dropped if it was a failure', () => {
    const once = stateAfter({ type: 'jobEnded', report: result }, { type: 'reportRejected' });
    expect(once.pending).toMatchObject({ report: rejected, failedAttempts: 0 });
    expect(reduce(once, { type: 'reportRejected' }).pending).toBeNull();
  });

  test('is replaced after the maximum number of failed attempts', () => {
    const failed = Array<WorkerEvent>(maxReportAttempts).fill({ type: 'reportFailed' });
    const ended: WorkerEvent = { type: 'jobEnded', report: result };
    expect(stateAfter(ended, ...failed.slice(1)).pending).toEqual({
      report: result,
      failedAttempts: maxReportAttempts - 1,
    });
    expect(stateAfter(ended, ...failed).pending).toMatchObject({ report: rejected, failedAttempts: 0 });
  });
});

describe('the next step', () => {
  test('during a job is to wait for its end, at most until the lease must be renewed', () => {
    const state = stateAfter({ type: 'jobStarted', lease: 'L1' });
    expect(step(state)).toEqual({ type: 'awaitJob', ms: 1000 });
    expect(step(state, { nextMs: 60_000 })).toEqual({ type: 'awaitJob', ms: maxSilenceMs });
  });

  test('with a report is to call at once, also when the worker drains', () => {
    expect(step(stateAfter({ type: 'jobEnded', report: result }, answer({ drain: true })))).toEqual({ type: 'call' });
  });

  test('of a drained worker without a job is to exit', () => {
    expect(step(stateAfter(answer({ drain: true }), applied()))).toEqual({ type: 'exit', reason: 'drained' });
  });

  test('of an idle worker is to poll at intervals that double up to 20 s', () => {
    const polls = [1, 2, 3, 6, 60].map((answers) => step(stateAfter(...Array<WorkerEvent>(answers).fill(applied()))));
    expect(polls).toEqual([1000, 2000, 4000, 20_000, 20_000].map((ms) => ({ type: 'idle', ms })));
  });

  test('of an idle worker spreads polls over a quarter of the interval', () => {
    expect(step(stateAfter(applied()), { random: 0 })).toEqual({ type: 'idle', ms: 750 });
  });

  test('after a wake-up message is to poll at the first interval again', () => {
    expect(step(stateAfter(applied(), applied(), { type: 'woken' }, applied()))).toEqual({ type: 'idle', ms: 1000 });
  });

  test('of a worker that exits soon is to poll at a tenth of its idle time or more often', () => {
    const idle = Array.from({ length: 12 }, () => applied());
    expect(step(stateAfter(...idle), { idleExitSeconds: 10 })).toEqual({ type: 'idle', ms: 1000 });
    expect(step(stateAfter(...idle), { idleExitSeconds: 0 })).toEqual({ type: 'idle', ms: 20_000 });
  });

  test('of a worker without time for another job is to exit after its running one, which it reports as leaving', () => {
    const running = stateAfter({ type: 'jobStarted', lease: 'L1' }, { type: 'drained' });
    expect(step(running)).toMatchObject({ type: 'awaitJob' });
    expect(syncRequest({ worker: 'w', epoch: 'e', version: '1' }, running, false)).toMatchObject({ leaving: true });
    const ended = reduce(reduce(running, { type: 'jobEnded', report: result }), answer({ acknowledged: 'L1' }));
    expect(step(ended)).toEqual({ type: 'exit', reason: 'drained' });
  });

  test('of an idle worker is to exit after the idle time since its last job, and to wait no longer than that', () => {
    const ended: WorkerEvent = { type: 'jobEnded', report: result };
    const state = stateAfter({ type: 'jobStarted', lease: 'L1' }, applied(startMs + 5000), ended);
    const idle = reduce(reduce(state, answer({ acknowledged: 'L1' })), applied(startMs + 6000));
    const at = (ms: number) => step(idle, { nowMs: startMs + ms, idleExitSeconds: 10 });
    expect(at(14_400)).toEqual({ type: 'idle', ms: 600 });
    expect(at(15_000)).toEqual({ type: 'exit', reason: 'idle' });
    expect(step(idle, { nowMs: startMs + 1e9 })).toMatchObject({ type: 'idle' });
  });
});

describe('a failure that the machine may have caused', () => {
  const accepted = answer({ acknowledged: 'L1' });
  const fail = (code: string): WorkerEvent[] => [{ type: 'jobEnded', report: failure(code) }, accepted, applied()];
  const ended: WorkerEvent = { type: 'pauseEnded' };

  test('leads to a pause that doubles up to a minute', () => {
    const pauses = [1, 2, 3, 4].map((times) => {
      const failures = Array.from({ length: times }, () => [ended, ...fail('DISK_FULL')]).flat();
      return step(stateAfter(...failures));
    });
    expect(pauses).toEqual([15_000, 30_000, 60_000, 60_000].map((ms) => ({ type: 'pause', ms })));
    expect(step(stateAfter(...fail('INTERNAL'), ended))).toMatchObject({ type: 'idle' });
  });

  test('is forgotten after a job that ends otherwise', () => {
    expect(step(stateAfter(...fail('INTERNAL'), ended, ...fail('INPUT_DAMAGED')))).toMatchObject({ type: 'idle' });
    const recovered = stateAfter(...fail('INTERNAL'), ended, { type: 'jobEnded', report: result }, accepted, applied());
    expect(step(reduce(recovered, { type: 'jobEnded', report: failure('INTERNAL') }))).toEqual({ type: 'call' });
    expect(reduce(recovered, { type: 'jobEnded', report: failure('INTERNAL') }).pauseMs).toBe(15_000);
  });
});

test('a lease that arrives during the shutdown is reported as returned', () => {
  const state = stateAfter({ type: 'leaseReturned', report: failure('WORKER_STOPPED') });
  expect(syncRequest(identity, state, true)).toMatchObject({ failed: { code: 'WORKER_STOPPED' }, leaving: true });
});
