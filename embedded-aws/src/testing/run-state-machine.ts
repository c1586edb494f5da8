import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStepFunctions } from '../step-functions/step-functions.ts';

/** `output` is JSON. */
export type ExecutionEnd = { status: string; output?: string; error?: string };

const stateMachineArn = 'arn:aws:states:eu-west-1:000000000000:stateMachine:machine';

const noService = async (): Promise<never> => {
  throw new Error('This state machine calls no service.');
};

/** Runs a definition with an input to its end. @throws for a definition that the interpreter does not support */
export async function runStateMachine(definition: object, input: unknown): Promise<ExecutionEnd> {
  const folder = await mkdtemp(join(tmpdir(), 'states-'));
  try {
    const states = await openStepFunctions({
      folder,
      region: 'eu-west-1',
      accountId: '000000000000',
      stateMachines: [{ arn: stateMachineArn, name: 'machine', definition: JSON.stringify(definition) }],
      invokeLambda: noService,
      readObject: noService,
      writeObject: noService,
    });
    try {
      const request = { stateMachineArn, input: JSON.stringify(input) };
      const { executionArn } = (await states.call('StartExecution', request)) as { executionArn: string };
      for (;;) {
        const end = (await states.call('DescribeExecution', { executionArn })) as ExecutionEnd;
        if (end.status !== 'RUNNING') return end;
        await sleep(5);
      }
    } finally {
      await states.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
