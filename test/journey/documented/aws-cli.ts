// Replaces the AWS CLI on the PATH of the documented commands: sends each command to the embedded cloud, or records it
// for a check of its syntax when the embedded cloud does not implement the operation.

import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { checkedByForm } from './not-run.ts';

/** The output of a command that was not sent. It is long enough to be accepted as an ARN by the next command. */
const fakeArn = 'arn:aws:nothing:was:sent:the-form-alone-is-checked';

const { AWS_CLI, AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, FORMS_FILE } = process.env;
const args = process.argv.slice(2);
const operation = args.slice(0, 2).join(' ');
const [service] = args;

if (checkedByForm.some((one) => one.operation === operation)) recordCommand();
else process.exit(send());

function send(): number {
  const stdio = ['inherit', 'inherit', 'inherit'] as const;
  // The CLI of Debian 12 does not read these two variables.
  const endpoint = service === 's3' || service === 's3api' ? AWS_ENDPOINT_URL_S3! : AWS_ENDPOINT_URL!;
  return spawnSync(AWS_CLI!, ['--endpoint-url', endpoint, ...args], { stdio: [...stdio] }).status ?? 1;
}

function recordCommand(): void {
  appendFileSync(FORMS_FILE!, `${JSON.stringify(args)}\n`);
  console.log(fakeArn);
}
