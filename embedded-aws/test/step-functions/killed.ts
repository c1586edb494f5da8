// Runs the pipeline in the given folder to its end, continuing the work of an earlier process, and prints the result.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openStepFunctions, type StepFunctions } from '../../src/step-functions/step-functions.ts';
import { pipeline, pipelineFunctions } from './pipeline.ts';

const [, , folder = ''] = process.argv;
const queueFile = join(folder, 'queue.json');
const STEP_MS = 60;
let states: StepFunctions | undefined;

/** Jobs outlive the process, as in a real queue. */
const queue: Record<string, number> = existsSync(queueFile) ? JSON.parse(readFileSync(queueFile, 'utf8')) : {};

function keep(token: string, n: number): void {
  queue[token] = n;
  writeFileSync(`${queueFile}.new`, JSON.stringify(queue));
  renameSync(`${queueFile}.new`, queueFile);
}

async function work(token: string, n: number): Promise<void> {
  await pause(STEP_MS);
  const output = JSON.stringify({ frames: n * 10 });
  await states?.call('SendTaskSuccess', { taskToken: token, output }).catch((error) => {
    if (error.name !== 'TaskTimedOut') throw error;
  });
}

const functions: Record<string, (payload: never) => unknown> = {
  ...pipelineFunctions,
  enqueue: async ({ token, input }: { token: string; input: { n: number } }) => {
    keep(token, input.n);
    void work(token, input.n);
  },
};

const MACHINE = 'arn:aws:states:eu-west-1:123456789012:stateMachine:Work';
states = await openStepFunctions({
  folder: join(folder, 'states'),
  region: 'eu-west-1',
  accountId: '123456789012',
  stateMachines: [
    { arn: MACHINE, name: 'Work', definition: JSON.stringify({ QueryLanguage: 'JSONata', ...pipeline }) },
  ],
  invokeLambda: async (name, payload) => {
    await pause(STEP_MS);
    try {
      return { payload: await functions[name]?.(payload as never) };
    } catch (error) {
      return { functionError: 'Unhandled', payload: { errorType: (error as Error).name } };
    }
  },
  readObject: async () => new Uint8Array(),
  writeObject: async () => {},
});
process.stdout.write('open\n');
for (const [token, n] of Object.entries(queue)) void work(token, n);

const executionArn = MACHINE.replace(':stateMachine:', ':execution:').concat(':video');
await states
  .call('StartExecution', { stateMachineArn: MACHINE, name: 'video', input: '{"items":[1,2,3]}' })
  .catch((error) => {
    if (error.name !== 'ExecutionAlreadyExists') throw error;
  });
for (;;) {
  const seen = (await states.call('DescribeExecution', { executionArn })) as { status: string; output: string };
  if (seen.status !== 'RUNNING') {
    process.stdout.write(`${JSON.stringify({ status: seen.status, output: JSON.parse(seen.output ?? 'null') })}\n`);
    break;
  }
  await pause(5);
}
process.exit(0);
