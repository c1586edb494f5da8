import type { ChoiceState } from '../definition/asl-types.ts';
import { StateFailure } from '../execution/state-failure.ts';
import type { Exit, StateRun } from '../interpreter/interpreter-context.ts';
import { leaveState } from '../interpreter/leave-state.ts';
import { bindingsOf } from '../interpreter/state-bindings.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';

/**
 * Takes the first rule whose Condition is true, or Default. Assign and Output of the state itself apply to Default
 * only.
 */
export async function runChoice(at: StateRun<ChoiceState>): Promise<Exit> {
  const { state, frame } = at;
  const bindings = bindingsOf(at);
  for (const [index, rule] of state.Choices.entries()) {
    const holds = await evaluateTemplate(rule.Condition, bindings, `Choices[${index}]/Condition`);
    if (typeof holds !== 'boolean') {
      const cause = `The Condition ${index} of the state '${frame.activeState?.name}' is not a boolean: ${JSON.stringify(holds)}.`;
      throw new StateFailure('States.QueryEvaluationError', cause);
    }
    if (holds) {
      // A rule without Output uses the Output of the state.
      const output = 'Output' in rule ? rule : { ...rule, ...('Output' in state && { Output: state.Output }) };
      return leaveState(at, output, rule.Next, frame.activeState?.input);
    }
  }
  if (state.Default === undefined) {
    throw new StateFailure(
      'States.NoChoiceMatched',
      `No choice rule of the state '${frame.activeState?.name}' matched.`,
    );
  }
  return leaveState(at, state, state.Default, frame.activeState?.input);
}
