// Redelivers dead letters: starts the pipeline for uploads and counts access logs, with the AWS CLI.
// npm run dead-letters -- STAGE

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

type Message = { Body: string; ReceiptHandle: string };

const stage = process.argv[2];
if (!stage || !/^[a-z][a-z0-9]*$/.test(stage)) throw new Error('name the stage: npm run dead-letters -- prod');

const { Stacks } = await ask('cloudformation', 'describe-stacks', { StackName: `video-service-${stage}` });
const outputs = new Map<string, string>(
  Stacks[0].Outputs.map(({ OutputKey, OutputValue }: Record<string, string>) => [OutputKey, OutputValue]),
);

const uploads = await drain(output('DeadLettersUrl'), (event) =>
  ask('stepfunctions', 'start-execution', {
    stateMachineArn: output('StateMachineArn'),
    input: JSON.stringify(event),
  }),
);
const logs = await drain(output('UncountedUrl'), (event) => invoke(output('CountAccessesFunctionName'), event));
console.log(`${uploads} uploads started, ${logs} access logs to be counted.`);

/** Redelivers each message, then deletes it. Redelivering twice does no harm; deleting first could lose a message. */
async function drain(QueueUrl: string, redeliver: (event: unknown) => Promise<unknown>): Promise<number> {
  for (let count = 0; ; ) {
    const { Messages = [] } = (await ask('sqs', 'receive-message', {
      QueueUrl,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 300,
      WaitTimeSeconds: 2,
    })) as { Messages?: Message[] };
    if (Messages.length === 0) return count;
    for (const { Body, ReceiptHandle } of Messages) {
      await redeliver(eventIn(JSON.parse(Body)));
      await ask('sqs', 'delete-message', { QueueUrl, ReceiptHandle });
      count++;
    }
  }
}

/** A dead letter of EventBridge is the event; a dead letter of Lambda has it as `requestPayload`. */
function eventIn(body: { requestPayload?: unknown }): unknown {
  return body.requestPayload ?? body;
}

function output(name: string): string {
  const value = outputs.get(name);
  if (value === undefined) throw new Error(`the stack video-service-${stage} has no output ${name}: deploy it again`);
  return value;
}

/** `lambda invoke` does not support `--cli-input-json`. */
function invoke(functionName: string, event: unknown): Promise<unknown> {
  const named = ['--function-name', functionName, '--invocation-type', 'Event'];
  return inFile(event, (path) => aws('lambda', 'invoke', ...named, '--payload', `fileb://${path}`, '/dev/null'));
}

// biome-ignore lint/suspicious/noExplicitAny: shapes are those of the AWS CLI
function ask(service: string, operation: string, input: object): Promise<any> {
  return inFile(input, (path) => aws(service, operation, '--cli-input-json', `file://${path}`));
}

/**
 * Passes message content in a file: it must not be part of a command line, and the CLI reads its input by path, which
 * stdin does not have if it is a socket.
 */
async function inFile<Result>(content: unknown, use: (path: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'dead-letters-'));
  try {
    const path = join(folder, 'input.json');
    await writeFile(path, JSON.stringify(content), { mode: 0o600 });
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs the AWS CLI. An empty response is {}. */
async function aws(...args: string[]): Promise<unknown> {
  const child = spawn('aws', [...args, '--output', 'json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [printed, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`aws ${args[0]} ${args[1]} exited with code ${code}`);
  return printed.trim() === '' ? {} : JSON.parse(printed);
}
