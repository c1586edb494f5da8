import type { FailState, PassState, SucceedState } from '../definition/asl-types.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';

export function runPass(at: StateRun<PassState>): Promise<Exit> {
  return leaveState(at, at.state, at.state.Next, at.frame.activeState?.input);
}

export function runSucceed(at: StateRun<SucceedState>): Promise<Exit> {
  return leaveState(at, at.state, undefined, at.frame.activeState?.input);
}

export async function runFail(at: StateRun<FailState>): Promise<never> {
  const bindings = bindingsOf(at);
  const error = await evaluateTemplate(at.state.Error ?? '', bindings, 'Error');
  const cause = await evaluateTemplate(at.state.Cause ?? '', bindings, 'Cause');
  for (const value of [error, cause]) {
    if (typeof value !== 'string') {
      throw new StateFailure(
        'States.QueryEvaluationError',
        `Error and Cause must be strings, not ${JSON.stringify(value)}.`,
      );
    }
  }
  throw new StateFailure(error as string, cause as string);
}
