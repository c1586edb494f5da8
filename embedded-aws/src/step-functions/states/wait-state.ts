import type { WaitState } from '../definition/asl-types.ts';
import { sleepUntil } from '../execution/sleep-until.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { recordInternal } from '../interpreter/record-event.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateInteger, evaluateTemplate } from '../jsonata/jsonata-template.ts';

const MAX_WAIT_SECONDS = 99_999_999;

export async function runWait(at: StateRun<WaitState>): Promise<Exit> {
  const { run, frame, state } = at;
  if (frame.activeState?.untilMs === undefined)
    recordInternal(run, frame, 'WaitScheduled', { untilMs: await waitUntilMs(at) });
  await sleepUntil(run.services.clock, frame.activeState?.untilMs ?? 0, run.stop);
  return leaveState(at, state, state.Next, frame.activeState?.input);
}

async function waitUntilMs(at: StateRun<WaitState>): Promise<number> {
  const { state, run } = at;
  const bindings = bindingsOf(at);
  if (state.Timestamp === undefined) {
    const seconds = await evaluateInteger(state.Seconds, bindings, 'Seconds', [0, MAX_WAIT_SECONDS]);
    return run.services.clock.now() + seconds * 1000;
  }
  const timestamp = await evaluateTemplate(state.Timestamp, bindings, 'Timestamp');
  const untilMs = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(untilMs)) {
    throw new StateFailure(
      'States.QueryEvaluationError',
      `The Timestamp ${JSON.stringify(timestamp)} is not an ISO 8601 timestamp.`,
    );
  }
  return untilMs;
}
