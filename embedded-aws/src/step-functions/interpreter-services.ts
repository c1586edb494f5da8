import type { Clock } from '../durable/clock.ts';
import type { Flow } from './definition/asl-types.ts';
import type { Frame } from './execution/execution.ts';
import { StateFailure } from './execution/state-failure.ts';
import type { InterpreterServices, Run, Scope } from './interpreter/interpreter-context.ts';
import { record } from './interpreter/record-event.ts';
import { createTaskTokens } from './interpreter/task-tokens.ts';
import { writeMapInputs } from './journal/child-inputs.ts';
import { openJournal } from './journal/journal-file.ts';
import { mapRunJournal } from './journal/load-execution.ts';
import { runState } from './run-state.ts';
import type { StepFunctionsOptions } from './step-functions-options.ts';

/** Creates what the interpreter needs from the options. */
export function createInterpreterServices(
  options: StepFunctionsOptions,
  clock: Clock,
  tokenKey: Uint8Array,
): InterpreterServices {
  const { region, accountId, invokeLambda, readObject, writeObject, listObjects } = options;
  return {
    region,
    roleArn: `arn:aws:iam::${accountId}:role/states`,
    clock,
    random: options.random ?? Math.random,
    tokens: createTaskTokens(tokenKey),
    invokeLambda,
    enqueueLambda: options.enqueueLambda ?? (() => refuseTask('lambda:invoke with InvocationType Event')),
    readObject,
    writeObject,
    listObjects,
    startTask: options.startTask ?? refuseTask,
    authorizeMapRun: options.authorizeMapRun ?? (() => {}),
    saveMapInputs: ({ folder }, mapRunId, inputs) => writeMapInputs(folder, mapRunId, inputs),
    openMapRun: ({ folder }, { id }, inputs) => ({
      journal: openJournal(mapRunJournal(folder, id)),
      inputs,
      results: [],
      running: new Map(),
    }),
    runFlow,
    meter: options.meter,
    report: options.onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error))),
  };
}

async function refuseTask(api: string): Promise<never> {
  throw Object.assign(new Error(`The integration ${api} is not supported.`), { name: 'States.TaskFailed' });
}

/**
 * Runs a flow of states from its current position to its end, and returns its output.
 * @throws StateFailure or Interrupted
 */
async function runFlow(run: Run, frame: Frame, flow: Flow, scope: Scope, input: unknown): Promise<unknown> {
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
