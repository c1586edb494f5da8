import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { replacements } from './not-run.ts';
import type { DocumentedCommand } from './read-commands.ts';

const marker = '\u001e';

const root = join(import.meta.dirname, '../../..');

/**
 * Programs on the PATH: curl fails on an HTTP error, npm runs in the project from any folder, and the AWS CLI, of which
 * this is the command line, talks to the embedded cloud. Docker says which platforms it builds for, and does nothing.
 */
export async function writePrograms(folder: string, aws: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  const write = async (name: string, line: string, before = '') => {
    await writeFile(join(folder, name), `#!/bin/sh\n${before}exec ${line} "$@"\n`);
    await chmod(join(folder, name), 0o755);
  };
  const curl = `'${programs('curl')[0]}'`;
  // The two options exclude each other.
  await write('curl', `${curl} --fail-with-body`, `case " $* " in *' -f '*) exec ${curl} "$@" ;; esac\n`);
  const platforms = 'Platforms: linux/amd64, linux/arm64';
  await writeFile(join(folder, 'docker'), `#!/bin/sh\necho '${platforms}'\n`, { mode: 0o755 });
  await write('npm', `'${programs('npm')[0]}' --prefix '${root}'`);
  await write('aws', aws.map((word) => `'${word}'`).join(' '));
}

/** All programs of this name on the PATH, in order. */
export const programs = (name: string): string[] =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && isIn(folder, name))
    .map((folder) => join(folder, name));

function isIn(folder: string, name: string): boolean {
  try {
    return readdirSync(folder).includes(name);
  } catch {
    return false;
  }
}

export const asRunHere = ({ text: command }: DocumentedCommand): string =>
  replacements.reduce((changed, { text: what, by }) => changed.replace(what, by), command);

/**
 * Runs the commands in one bash, each after the previous one succeeded.
 * @returns the output of each command by its line
 * @throws with the first failed command and its output
 */
export async function runCommands(
  commands: readonly DocumentedCommand[],
  options: { folder: string; env: Record<string, string> },
): Promise<Map<DocumentedCommand, string>> {
  const script = commands.map((command, index) => `printf '${marker}${index}\\n'\n${asRunHere(command)}\n`);
  // Through cat: bash inherits a socket from us, which cannot be opened as /dev/stdout or /dev/stderr.
  const child = spawn(
    'bash',
    ['-c', 'set -o pipefail; bash -eu -o pipefail -c "$0" 2> >(cat >&2) | cat', script.join('')],
    {
      cwd: options.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const parts = output.split(marker).slice(1);
  const printed = parts.map((part) => part.slice(part.indexOf('\n') + 1));
  if (status !== 0) {
    const { page, line, text: command } = commands[parts.length - 1]!;
    throw new Error(`${page}:${line} exited with ${status}:\n${command}\n${printed.at(-1)}\n${errors}`);
  }
  return new Map(commands.map((command, index) => [command, printed[index] ?? '']));
}
