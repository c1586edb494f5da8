// Stands before the AWS CLI on the PATH of the documented commands: sends each to the embedded cloud, or notes it to have its form checked where that
// knows no such operation.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { checkedByForm } from './not-run.ts';

/** What a command that was not sent answers, so long that it passes for an ARN where it is put into the next one. */
const madeUp = 'arn:aws:nothing:was:sent:the-form-alone-is-checked';

const { AWS_CLI, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, QUEUES_FOLDER, FORMS_FILE } = process.env;
const args = process.argv.slice(2);
const operation = args.slice(0, 2).join(' ');
const [service] = args;

if (service === 'sqs') answerQueue();
else if (checkedByForm.some((one) => one.operation === operation)) noteForm();
else process.exit(send());

function send(): number {
  const stdio = ['inherit', 'inherit', 'inherit'] as const;
  // The CLI of Debian 12 does not read the two variables itself.
  const endpoint = service === 's3' || service === 's3api' ? AWS_ENDPOINT_URL_S3! : AWS_ENDPOINT_URL!;
  return spawnSync(AWS_CLI!, ['--endpoint-url', endpoint, ...args], { stdio: [...stdio] }).status ?? 1;
}

function noteForm(): void {
  appendFileSync(FORMS_FILE!, `${JSON.stringify(args)}\n`);
  console.log(madeUp);
}

/** What the test put into the queue, once. An empty queue, and a deletion, the CLI answers with nothing at all. */
function answerQueue(): void {
  const input = args.indexOf('--cli-input-json') + 1;
  const text = readFileSync(args[input]!.replace('file://', ''), 'utf8');
  // The file is gone by the time that the form is checked.
  appendFileSync(FORMS_FILE!, `${JSON.stringify(args.with(input, text))}\n`);
  const { QueueUrl } = JSON.parse(text) as { QueueUrl: string };
  const file = join(QUEUES_FOLDER!, QueueUrl.includes('Uncounted') ? 'uncounted.json' : 'dead-letters.json');
  if (operation !== 'sqs receive-message' || !existsSync(file)) return;
  renameSync(file, `${file}.taken`);
  process.stdout.write(readFileSync(`${file}.taken`));
}
