import { isChild, requireExecution, summaryOf } from './execution-registry.ts';
import { viewExecution } from './execution-view.ts';
import type { OperationContext, StateMachine } from './operation-context.ts';
import { type Input, requiredArn } from './operation-input.ts';
import { pageOf, slicePage } from './result-page.ts';
import { requireStateMachine } from './start-execution.ts';

export async function describeStateMachine(context: OperationContext, input: Input): Promise<unknown> {
  const machine = requireStateMachine(context, requiredArn(input, 'stateMachineArn'));
  return {
    ...listEntry(machine),
    status: 'ACTIVE',
    definition: machine.definition,
    roleArn: context.services.roleArn,
    loggingConfiguration: { level: 'OFF', includeExecutionData: false },
    tracingConfiguration: { enabled: false },
  };
}

/** Returns the definition that the execution was started with. */
export async function describeStateMachineForExecution(context: OperationContext, input: Input): Promise<unknown> {
  const found = requireExecution(context.registry, requiredArn(input, 'executionArn'));
  const { machineArn, startMs, mapRunArn } = await viewExecution(found, context);
  const entry = isChild(found) ? found.entry : found;
  const { definitionId } = entry.live ?? entry.ended;
  return {
    stateMachineArn: machineArn,
    name: summaryOf(entry).machineArn.split(':').at(-1),
    definition: context.store.definition(definitionId),
    roleArn: context.services.roleArn,
    updateDate: new Date(startMs),
    ...(mapRunArn !== undefined && { mapRunArn }),
  };
}

export async function listStateMachines(context: OperationContext, input: Input): Promise<unknown> {
  const { items, nextToken } = slicePage([...context.stateMachines.values()], pageOf(input, 'stateMachines'));
  return { stateMachines: items.map(listEntry), ...(nextToken !== undefined && { nextToken }) };
}

function listEntry({ arn, name, createdMs }: StateMachine) {
  return { stateMachineArn: arn, name, type: 'STANDARD', creationDate: new Date(createdMs) };
}
