import type { Catcher, Retrier, State } from './definition/asl-types.ts';
import { matchesError } from './definition/match-error.ts';
import { nextRetry } from './definition/retry-delay.ts';
import { sleepUntil } from './execution/clock.ts';
import { StateFailure } from './execution/state-failure.ts';
import type { Exit, StateRun } from './interpreter/interpreter-context.ts';
import { leaveState } from './interpreter/leave-state.ts';
import { note, record } from './interpreter/record-event.ts';
import { distributedMap } from './maps/distributed-map.ts';
import { inlineMap } from './maps/inline-map.ts';
import { choice } from './states/choice-state.ts';
import { parallel } from './states/parallel-state.ts';
import { fail, pass, succeed } from './states/simple-states.ts';
import { task } from './states/task-state.ts';
import { wait } from './states/wait-state.ts';

type Runners = { [S in State as S['Type']]: (at: StateRun<S>) => Promise<Exit> };

const runners: Runners = {
  Pass: pass,
  Succeed: succeed,
  Fail: fail,
  Choice: choice,
  Wait: wait,
  Task: task,
  Parallel: parallel,
  Map: (at) => (at.state.ItemProcessor.ProcessorConfig?.Mode === 'DISTRIBUTED' ? distributedMap(at) : inlineMap(at)),
};

/** Runs a state until it is left: with its retries, and by a catcher if one takes its failure. Throws StateFailure otherwise. */
export async function runState(at: StateRun<State>): Promise<Exit> {
  const { run, frame, state } = at;
  const runner = runners[state.Type] as (at: StateRun<State>) => Promise<Exit>;
  for (;;) {
    try {
      const retryAtMs = frame.visit?.retryAtMs;
      if (retryAtMs !== undefined) await sleepUntil(run.services.clock, retryAtMs, run.stop);
      return await runner(at);
    } catch (failure) {
      if (!(failure instanceof StateFailure)) throw failure;
      const exit = await afterFailure(at, failure);
      if (exit) return exit;
    }
  }
}

/** Undefined when a retry was scheduled. */
async function afterFailure(at: StateRun<State>, failure: StateFailure): Promise<Exit | undefined> {
  const { run, frame, state } = at;
  const { error, errorCause } = failure;
  if (error === 'States.QueryEvaluationError') {
    record(run, frame, 'EvaluationFailed', { error, cause: errorCause, state: frame.visit?.name });
  }
  if (state.Type === 'Map' || state.Type === 'Parallel') record(run, frame, `${state.Type}StateFailed`);

  const { Retry, Catch } = state as { Retry?: Retrier[]; Catch?: Catcher[] };
  const { clock, random } = run.services;
  const retry = nextRetry(Retry, frame.visit?.retries ?? [], error, random());
  if (retry) {
    const retryAtMs = Math.round(clock.now() + retry.delaySeconds * 1000);
    note(run, frame, 'RetryScheduled', { retrier: retry.retrier, retryAtMs });
    return undefined;
  }
  const catcher = Catch?.find((candidate) => matchesError(candidate.ErrorEquals, error));
  if (!catcher) throw failure;
  const errorOutput = { Error: error, ...(errorCause !== undefined && { Cause: errorCause }) };
  return leaveState(at, catcher, catcher.Next, errorOutput, { errorOutput });
}
