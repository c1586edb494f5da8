import type { Template } from '../definition/asl-types.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';
import type { Exit, StateRun } from './interpreter-context.ts';
import { bindingsOf, type Reserved } from './state-bindings.ts';

type ExitFields = { Assign?: Template; Output?: Template };

/**
 * Evaluates Assign and Output of a state, a choice rule or a catcher. Both use the variables as they were before the
 * state.
 * @throws StateFailure
 */
export async function leaveState(
  at: StateRun<unknown>,
  leaving: ExitFields,
  next: string | undefined,
  otherwise: unknown,
  reserved: Reserved = {},
): Promise<Exit> {
  const name = at.frame.activeState?.name;
  if (leaving.Assign === undefined && leaving.Output === undefined) {
    return { next, output: toPayload(otherwise, `The state '${name}' returned a result that`) };
  }
  const bindings = bindingsOf(at, reserved);
  const output = leaving.Output === undefined ? otherwise : await evaluateTemplate(leaving.Output, bindings, 'Output');
  const variables =
    leaving.Assign === undefined
      ? undefined
      : toPayload(await evaluateTemplate(leaving.Assign, bindings, 'Assign'), `The Assign of the state '${name}'`);
  return {
    next,
    output: toPayload(output, `The output of the state '${name}'`),
    variables: variables as Record<string, unknown> | undefined,
  };
}
