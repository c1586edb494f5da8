import type { Template } from '../definition/asl-types.ts';
import { toPayload } from '../execution/payload-limit.ts';
import { evaluateTemplate } from '../jsonata/jsonata-template.ts';
import type { Exit, StateRun } from './interpreter-context.ts';
import { bindingsOf, type Reserved } from './state-bindings.ts';

type Leaving = { Assign?: Template; Output?: Template };

/**
 * Evaluates Assign and Output of a state, a choice rule or a catcher. Both see the variables as they were before, so neither
 * sees what the other sets. Throws StateFailure.
 */
export async function leaveState(
  at: StateRun<unknown>,
  leaving: Leaving,
  next: string | undefined,
  otherwise: unknown,
  reserved: Reserved = {},
): Promise<Exit> {
  const name = at.frame.visit?.name;
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
