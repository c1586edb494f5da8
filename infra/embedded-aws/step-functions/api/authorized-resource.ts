import type { Desk } from './operation-context.ts';
import type { Input } from './operation-input.ts';

// https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsstepfunctions.html

type Resource = (desk: Desk, input: Input) => string | undefined;

const machine: Resource = (_, { stateMachineArn }) => String(stateMachineArn);
const execution: Resource = (_, { executionArn }) => String(executionArn);
const mapRun: Resource = (_, { mapRunArn }) => String(mapRunArn);
/** The state machine that the task's execution belongs to. A token whose task does not wait leads to nothing. */
const machineOfTask: Resource = ({ services }, { taskToken }) =>
  typeof taskToken === 'string' ? services.tokens.find(taskToken)?.run.execution.machineArn : undefined;

const resources = new Map<string, Resource>([
  ['DescribeExecution', execution],
  ['DescribeMapRun', mapRun],
  ['DescribeStateMachine', machine],
  ['DescribeStateMachineForExecution', execution],
  ['GetExecutionHistory', execution],
  ['ListExecutions', (desk, input) => (input.mapRunArn === undefined ? machine : mapRun)(desk, input)],
  ['ListMapRuns', execution],
  ['ListStateMachines', () => '*'],
  ['SendTaskFailure', machineOfTask],
  ['SendTaskHeartbeat', machineOfTask],
  ['SendTaskSuccess', machineOfTask],
  ['StartExecution', machine],
  ['StopExecution', execution],
]);

/** The ARN that a call is about, as policies name it. Undefined for a call that reads and changes nothing: it will be refused. */
export const resourceOf = (desk: Desk, operation: string, input: Input): string | undefined =>
  resources.get(operation)?.(desk, input);
