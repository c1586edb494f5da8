import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DescribeExecutionCommand,
  SendTaskFailureCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsStub, mockClient } from 'aws-sdk-client-mock';
import { functionEnvironment } from '../../test/fixtures/function-environment.ts';

/** All slots are taken, so that no run starts waiting videos. */
export const runningVideos = 20;

type Stub = AwsStub<never, never, never>;

/** Services beside the table that answer at once. `calls` is how many requests they got since the last question. */
export function stubOtherServices(): { calls(): number } {
  Object.assign(process.env, functionEnvironment, {
    CLUSTER: 'c',
    TASK_DEFINITION: 't',
    TASK_DEFINITION_FAMILY: 'f',
    SUBNETS: 'a,b',
    SECURITY_GROUP: 'g',
    MAX_RUNNING_EXECUTIONS: String(runningVideos),
    MAX_TASKS: '0',
    OPERATE_FUNCTION: 'operate',
    SEND_FUNCTION: 'send',
    SWEEP_FUNCTION: 'sweep',
    STATE_MACHINE_ARN: 'arn:aws:states:us-east-1:000000000000:stateMachine:encode',
    PARAMETER_PREFIX: '/video-service/scale',
    API_URL: 'https://api.example.com',
    EVENT_BUS_NAME: 'events',
  });
  const [states, tasks, lambda, parameters, bus] = [
    SFNClient,
    ECSClient,
    LambdaClient,
    SSMClient,
    EventBridgeClient,
  ].map((client) => mockClient(client as never) as Stub) as [Stub, Stub, Stub, Stub, Stub];
  states.on(DescribeExecutionCommand as never).resolves({ status: 'RUNNING' } as never);
  states.on(StartExecutionCommand as never).callsFake(() => ({ executionArn: 'arn:execution:scale' }));
  // No state waits for the jobs of lost workers.
  const gone = Object.assign(new Error('gone'), { name: 'TaskTimedOut' });
  states.on(SendTaskFailureCommand as never).rejects(gone);
  tasks.on(ListTasksCommand as never).resolves({ taskArns: [] } as never);
  tasks.on(RunTaskCommand as never).resolves({ tasks: [] } as never);
  lambda.on(InvokeCommand as never).resolves({} as never);
  const keys = { current: 'k1', keys: { k1: 'b25l' } };
  parameters.on(GetParameterCommand as never).resolves({ Parameter: { Value: JSON.stringify(keys) } } as never);
  const stubs = [states, tasks, lambda, bus];
  return {
    calls() {
      const count = stubs.reduce((sum, stub) => sum + stub.calls().length, 0);
      for (const stub of stubs) stub.resetHistory();
      return count;
    },
  };
}
