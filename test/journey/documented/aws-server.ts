import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { checkedByForm } from './not-run.ts';

/** What `aws-command.py` reads to send commands. */
export type AwsEnvironment = { AWS_CLI: string; AWS_SERVER?: string };

/** The AWS CLI for many commands, and the command line of a program that takes its place. */
export type AwsServer = { env: AwsEnvironment; command: readonly string[]; stop: () => Promise<void> };

/** Operations and options that `aws-command.py` writes to `file` instead of sending them. */
export const recordedIn = (file: string): Record<string, string> => ({
  FORMS_FILE: file,
  FORM_OPERATIONS: checkedByForm.flatMap(({ operation, tooNew }) => (tooNew ? [] : operation)).join(),
  FORM_OPTIONS: checkedByForm.flatMap(({ tooNew = [] }) => tooNew).join(),
});

/**
 * Loads the AWS CLI once for all commands, since its imports take half a second of CPU time. The installer of AWS
 * contains a binary that cannot be loaded: each command then starts it.
 */
export async function startAwsServer(cli: string, folder: string): Promise<AwsServer> {
  const interpreter = interpreterOf(cli);
  const command = [...(interpreter ?? ['python3']), join(import.meta.dirname, 'aws-command.py')];
  if (!interpreter) return { env: { AWS_CLI: cli }, command, stop: async () => {} };
  const socket = join(folder, 'aws.sock');
  const [program = '', ...options] = interpreter;
  const child = spawn(program, [...options, join(import.meta.dirname, 'aws-server.py'), socket], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const status = await Promise.race([once(child.stdout, 'data').then(() => 'ready'), ended]);
  if (status !== 'ready') throw new Error(`${cli} cannot be loaded: its process ended with ${status}`);
  return {
    env: { AWS_CLI: cli, AWS_SERVER: socket },
    command,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** The Python of the first line of the AWS CLI, as of the package of Debian. */
function interpreterOf(cli: string): string[] | undefined {
  const start = Buffer.alloc(256);
  const file = openSync(cli, 'r');
  readSync(file, start);
  closeSync(file);
  return /^#!\s*(\S*python\S*.*)\n/.exec(start.toString('latin1'))?.[1]?.trim().split(/\s+/);
}
