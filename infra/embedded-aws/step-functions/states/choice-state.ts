import type { ChoiceState } from '../definition/asl-types.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';

/** The first rule whose Condition is true; else Default, for which alone the state's own Assign and Output count. */
export async function choice(at: StateRun<ChoiceState>): Promise<Exit> {
  const { state, frame } = at;
  const bindings = bindingsOf(at);
  for (const [index, rule] of state.Choices.entries()) {
    const holds = await evaluateTemplate(rule.Condition, bindings, `Choices[${index}]/Condition`);
    if (typeof holds !== 'boolean') {
      const cause = `The Condition ${index} of the state '${frame.visit?.name}' is no boolean: ${JSON.stringify(holds)}.`;
      throw new StateFailure('States.QueryEvaluationError', cause);
    }
    if (holds) {
      // A rule without an Output of its own takes the state's.
      const output = 'Output' in rule ? rule : { ...rule, ...('Output' in state && { Output: state.Output }) };
      return leaveState(at, output, rule.Next, frame.visit?.input);
    }
  }
  if (state.Default === undefined) {
    throw new StateFailure('States.NoChoiceMatched', `No choice rule of the state '${frame.visit?.name}' matched.`);
  }
  return leaveState(at, state, state.Default, frame.visit?.input);
}
