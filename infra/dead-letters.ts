// Does again what could not be done for a day: starts the pipeline for uploads, and counts access logs. Uses the AWS CLI with its own credentials.
// npm run dead-letters -- STAGE

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

type Message = { Body: string; ReceiptHandle: string };

const stage = process.argv[2];
if (!stage || !/^[a-z]+$/.test(stage)) throw new Error('say which stage: npm run dead-letters -- prod');

const { Stacks } = await aws('cloudformation', 'describe-stacks', { StackName: `video-service-${stage}` });
const outputs = new Map<string, string>(
  Stacks[0].Outputs.map(({ OutputKey, OutputValue }: Record<string, string>) => [OutputKey, OutputValue]),
);

const uploads = await drain(output('DeadLettersUrl'), (event) =>
  aws('stepfunctions', 'start-execution', {
    stateMachineArn: output('StateMachineArn'),
    input: JSON.stringify(event),
  }),
);
const logs = await drain(output('UncountedUrl'), (event) =>
  aws(
    'lambda',
    'invoke',
    { FunctionName: output('CountAccessesFunctionName'), InvocationType: 'Event', Payload: JSON.stringify(event) },
    ['--cli-binary-format', 'raw-in-base64-out', '/dev/null'],
  ),
);
console.log(`${uploads} uploads started, ${logs} access logs to be counted.`);

/** Hands each message on and deletes it then: one that is handed on twice does no harm, one that is deleted before would be lost. */
async function drain(QueueUrl: string, handOn: (event: unknown) => Promise<unknown>): Promise<number> {
  for (let count = 0; ; ) {
    const { Messages = [] } = (await aws('sqs', 'receive-message', {
      ...{ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 300, WaitTimeSeconds: 2 },
    })) as { Messages?: Message[] };
    if (Messages.length === 0) return count;
    for (const { Body, ReceiptHandle } of Messages) {
      await handOn(eventIn(JSON.parse(Body)));
      await aws('sqs', 'delete-message', { QueueUrl, ReceiptHandle });
      count++;
    }
  }
}

/** EventBridge leaves the event itself; Lambda leaves a report that has it as `requestPayload`. */
function eventIn(body: { requestPayload?: unknown }): unknown {
  return body.requestPayload ?? body;
}

function output(name: string): string {
  const value = outputs.get(name);
  if (value === undefined) throw new Error(`the stack video-service-${stage} has no output ${name}: deploy it anew`);
  return value;
}

/** Input goes by stdin: what is in a message is no part of a command line. An answer without content is {}. */
// biome-ignore lint/suspicious/noExplicitAny: shapes are those of the AWS CLI
async function aws(service: string, operation: string, input: object, more: string[] = []): Promise<any> {
  const args = [service, operation, '--output', 'json', '--cli-input-json', 'file:///dev/stdin', ...more];
  const child = spawn('aws', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.end(JSON.stringify(input));
  const [answer, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`aws ${service} ${operation} ended with ${code}`);
  return answer.trim() === '' ? {} : JSON.parse(answer);
}
