import type { OperationContext } from './operation-context.ts';
import type { Input } from './operation-input.ts';

// https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html

type Resource = (context: OperationContext, input: Input) => string | undefined;

const machine: Resource = (_, { stateMachineArn }) => String(stateMachineArn);
const execution: Resource = (_, { executionArn }) => String(executionArn);
const mapRun: Resource = (_, { mapRunArn }) => String(mapRunArn);
/** The state machine of the execution that waits for the token. Undefined for a token of no waiting task. */
const machineOfTask: Resource = ({ services }, { taskToken }) =>
  typeof taskToken === 'string' ? services.tokens.find(taskToken)?.run.execution.machineArn : undefined;

const resources = new Map<string, Resource>([
  ['DescribeExecution', execution],
  ['DescribeMapRun', mapRun],
  ['DescribeStateMachine', machine],
  ['DescribeStateMachineForExecution', execution],
  ['GetExecutionHistory', execution],
  ['ListExecutions', (context, input) => (input.mapRunArn === undefined ? machine : mapRun)(context, input)],
  ['ListMapRuns', execution],
  ['ListStateMachines', () => '*'],
  ['SendTaskFailure', machineOfTask],
  ['SendTaskHeartbeat', machineOfTask],
  ['SendTaskSuccess', machineOfTask],
  ['StartExecution', machine],
  ['StopExecution', execution],
]);

/**
 * The ARN that policies have to allow for an operation. Undefined when the operation does not exist or will be rejected
 * before it reads or changes anything.
 */
export const resourceOf = (context: OperationContext, operation: string, input: Input): string | undefined =>
  resources.get(operation)?.(context, input);
