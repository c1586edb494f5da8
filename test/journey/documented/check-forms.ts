import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { AwsServer } from './aws-server.ts';
import { checkedByForm } from './not-run.ts';

/** Nothing listens here: a command that tries to connect has passed the CLI's validation of options and values. */
const nowhere = 'http://127.0.0.1:9';
const notReached = /Could not connect to the endpoint URL/;

/** The AWS CLI's validation errors for the recorded commands. */
export async function wrongForms(file: string, aws: AwsServer): Promise<string[]> {
  const noted = [...new Set((await readFile(file, 'utf8')).trim().split('\n'))].map(
    (line) => JSON.parse(line) as string[],
  );
  const wrong: string[] = [];
  const checkNext = async (): Promise<void> => {
    for (let args = noted.pop(); args; args = noted.pop()) {
      const words = await objection(args, aws);
      if (!notReached.test(words)) wrong.push(`aws ${args.join(' ')}: ${words}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, checkNext));
  return wrong;
}

async function objection(args: string[], { env: aws, command: [program, ...options] }: AwsServer): Promise<string> {
  const { tooNew = [] } = checkedByForm.find(({ operation }) => operation === args.slice(0, 2).join(' ')) ?? {};
  const known = args.filter((arg) => !tooNew.includes(arg));
  const env = {
    ...process.env,
    ...aws,
    AWS_MAX_ATTEMPTS: '1',
    AWS_REGION: 'local-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
  };
  return promisify(execFile)(program!, [...options, '--endpoint-url', nowhere, ...known], { env }).then(
    () => 'the command was sent',
    ({ stderr }: { stderr: string }) => stderr.trim(),
  );
}
