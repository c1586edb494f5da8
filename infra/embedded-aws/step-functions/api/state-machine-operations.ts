import { factsOf, isChild, requireExecution } from './execution-registry.ts';
import { viewExecution } from './execution-view.ts';
import type { Desk, StateMachine } from './operation-context.ts';
import { type Input, requiredArn } from './operation-input.ts';
import { pageOf, slicePage } from './result-page.ts';
import { requireMachine } from './start-execution.ts';

export async function describeStateMachine(desk: Desk, input: Input): Promise<unknown> {
  const machine = requireMachine(desk, requiredArn(input, 'stateMachineArn'));
  return {
    ...listed(machine),
    status: 'ACTIVE',
    definition: machine.definition,
    roleArn: desk.services.roleArn,
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
  };
}

/** The definition as it was when the execution started. */
export async function describeStateMachineForExecution(desk: Desk, input: Input): Promise<unknown> {
  const found = requireExecution(desk.registry, requiredArn(input, 'executionArn'));
  const { machineArn, startMs, mapRunArn } = await viewExecution(found, desk.store);
  const entry = isChild(found) ? found.entry : found;
  const { definitionId } = entry.live ?? entry.ended;
  return {
    stateMachineArn: machineArn,
    name: factsOf(entry).machineArn.split(':').at(-1),
    definition: desk.store.definition(definitionId),
    roleArn: desk.services.roleArn,
    updateDate: new Date(startMs),
    ...(mapRunArn !== undefined && { mapRunArn }),
  };
}

export async function listStateMachines(desk: Desk, input: Input): Promise<unknown> {
  const { items, nextToken } = slicePage([...desk.machines.values()], pageOf(input, 'stateMachines'));
  return { stateMachines: items.map(listed), ...(nextToken !== undefined && { nextToken }) };
}

function listed({ arn, name, createdMs }: StateMachine) {
  return { stateMachineArn: arn, name, type: 'STANDARD', creationDate: new Date(createdMs) };
}
