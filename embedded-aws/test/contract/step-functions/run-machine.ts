import {
  CreateStateMachineCommand,
  DeleteStateMachineCommand,
  DescribeExecutionCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { onTestFinished } from 'vitest';
import { stepFunctionsService, stepFunctionsTarget } from '../../../src/step-functions/step-functions-server.ts';
import { serveControl } from '../../../src/testing/serve-control.ts';
import { type End, MACHINE, open } from '../../step-functions/fixture.ts';
import { clientConfig, isEmbedded, uniqueName } from '../target.ts';

/** A role that Step Functions can assume. On AWS it must exist; the states of these tests need no permission. */
const roleArn = process.env.TARGET_ROLE_ARN ?? 'arn:aws:iam::000000000000:role/states';

/** A client for the target, and the ARN of a state machine that is removed after the test. */
async function openMachine(definition: object): Promise<{ sfn: SFNClient; stateMachineArn: string }> {
  if (isEmbedded) {
    const targets = new Map([[stepFunctionsTarget, stepFunctionsService(await open({ definition }))]]);
    const served = await serveControl({ region: 'eu-west-1', targets });
    const sfn = new SFNClient(served.client);
    onTestFinished(() => {
      sfn.destroy();
      return served.stop();
    });
    return { sfn, stateMachineArn: MACHINE };
  }
  const sfn = new SFNClient(clientConfig);
  const name = uniqueName('machine');
  const text = JSON.stringify({ QueryLanguage: 'JSONata', ...definition });
  const { stateMachineArn } = await sfn.send(new CreateStateMachineCommand({ name, roleArn, definition: text }));
  onTestFinished(async () => {
    await sfn.send(new DeleteStateMachineCommand({ stateMachineArn }));
    sfn.destroy();
  });
  return { sfn, stateMachineArn: stateMachineArn! };
}

/** Runs a definition with an input to its end. */
export async function run({ definition }: { definition: object }, input: unknown = {}): Promise<End> {
  const { sfn, stateMachineArn } = await openMachine(definition);
  const started = await sfn.send(new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) }));
  for (;;) {
    const { status, output, error, cause } = await sfn.send(
      new DescribeExecutionCommand({ executionArn: started.executionArn }),
    );
    if (status !== 'RUNNING') {
      return {
        status,
        ...(output !== undefined && { output: JSON.parse(output) }),
        ...(error !== undefined && { error }),
        ...(cause !== undefined && { cause }),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, isEmbedded ? 2 : 100));
  }
}

/** Runs one state as the whole definition. */
export const runState = (state: object, input: unknown = {}): Promise<End> =>
  run({ definition: { StartAt: 'Only', States: { Only: state } } }, input);
