import type { Flow } from './definition/asl-types.ts';
import type { Frame } from './execution/execution.ts';
import { StateFailure } from './execution/state-failure.ts';
import type { Run, Scope } from './interpreter/interpreter-context.ts';
import { record } from './interpreter/record-event.ts';
import { runState } from './run-state.ts';

/**
 * Runs a flow of states from its current position to its end, and returns its output.
 * @throws StateFailure or Interrupted
 */
export async function runFlow(run: Run, frame: Frame, flow: Flow, scope: Scope, input: unknown): Promise<unknown> {
  for (;;) {
    const { exit } = frame;
    if (!frame.activeState) {
      if (exit && exit.next === undefined) return exit.output;
      const name = exit?.next ?? flow.StartAt;
      run.services.meter?.('state transitions', 1, name);
      record(run, frame, `${stateOf(flow, name).Type}StateEntered`, { name, input: exit ? exit.output : input });
    }
    const name = frame.activeState?.name ?? flow.StartAt;
    const state = stateOf(flow, name);
    const { next, output, variables } = await runState({ run, frame, scope, state });
    const details = { name, output, ...(variables && { assignedVariables: variables }) };
    record(run, frame, `${state.Type}StateExited`, details, next === undefined ? undefined : { next });
  }
}

function stateOf(flow: Flow, name: string) {
  const state = flow.States[name];
  if (!state) throw new StateFailure('States.Runtime', `The state '${name}' does not exist.`);
  return state;
}
