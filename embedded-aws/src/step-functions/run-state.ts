import type { Catcher, Retrier, State } from './definition/asl-types.ts';
import { matchesError } from './definition/match-error.ts';
import { nextRetry } from './definition/retry-delay.ts';
import { sleepUntil } from './execution/sleep-until.ts';
import { StateFailure } from './execution/state-failure.ts';
import type { Exit, StateRun } from './interpreter/interpreter-context.ts';
import { leaveState } from './interpreter/leave-state.ts';
import { record, recordInternal } from './interpreter/record-event.ts';
import { runDistributedMap } from './maps/distributed-map.ts';
import { runInlineMap } from './maps/inline-map.ts';
import { runChoice } from './states/choice-state.ts';
import { runParallel } from './states/parallel-state.ts';
import { runFail, runPass, runSucceed } from './states/simple-states.ts';
import { runTask } from './states/task-state.ts';
import { runWait } from './states/wait-state.ts';

type Runners = { [S in State as S['Type']]: (at: StateRun<S>) => Promise<Exit> };

const runners: Runners = {
  Pass: runPass,
  Succeed: runSucceed,
  Fail: runFail,
  Choice: runChoice,
  Wait: runWait,
  Task: runTask,
  Parallel: runParallel,
  Map: (at) =>
    at.state.ItemProcessor.ProcessorConfig?.Mode === 'DISTRIBUTED' ? runDistributedMap(at) : runInlineMap(at),
};

/** Runs a state with its retries and catchers until it is completed. @throws StateFailure when no catcher matches */
export async function runState(at: StateRun<State>): Promise<Exit> {
  const { run, frame, state } = at;
  const runner = runners[state.Type] as (at: StateRun<State>) => Promise<Exit>;
  for (;;) {
    try {
      const retryAtMs = frame.activeState?.retryAtMs;
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
    record(run, frame, 'EvaluationFailed', { error, cause: errorCause, state: frame.activeState?.name });
  }
  if (state.Type === 'Map' || state.Type === 'Parallel') record(run, frame, `${state.Type}StateFailed`);

  const { Retry, Catch } = state as { Retry?: Retrier[]; Catch?: Catcher[] };
  const { clock, random } = run.services;
  const retry = nextRetry(Retry, frame.activeState?.retries ?? [], error, random());
  if (retry) {
    run.services.meter?.('state transitions', 1, `retry of ${frame.activeState?.name}`);
    const retryAtMs = Math.round(clock.now() + retry.delaySeconds * 1000);
    recordInternal(run, frame, 'RetryScheduled', { retrier: retry.retrier, retryAtMs });
    return undefined;
  }
  const catcher = Catch?.find((candidate) => matchesError(candidate.ErrorEquals, error));
  if (!catcher) throw failure;
  const errorOutput = { Error: error, ...(errorCause !== undefined && { Cause: errorCause }) };
  return leaveState(at, catcher, catcher.Next, errorOutput, { errorOutput });
}
