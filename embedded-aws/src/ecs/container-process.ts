import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { ContainerEnvironments } from './container-environments.ts';

/** A lower priority than that of this process, which has to answer requests while every core is busy. */
const niceness = 5;
/** JavaScript: a process that loads TypeScript also loads the compiler, a third of the start of a task. */
const exitWithParent = join(import.meta.dirname, 'exit-with-parent.mjs');

export type ContainerInput = {
  definition: TaskDefinition;
  /** The folder that contains the entry files of the containers. */
  entryFolder: string;
  /** For the files of this task. Removed when the task has stopped. */
  folder: string;
  /** Added to the environments of the definition, by container. */
  environments: ContainerEnvironments;
  slotEnvironment: Record<string, string>;
  onLogLine: (containerName: string, line: string) => void;
};

export type Container = { child: ChildProcess; exitCode: Promise<number> };

/** Starts a container as a child process that leads a process group. */
export async function startContainer(
  { name, environment, mounts }: TaskDefinition['containers'][number],
  { definition, entryFolder, folder, environments, slotEnvironment, onLogLine }: ContainerInput,
): Promise<Container> {
  const paths = Object.fromEntries(mounts.map(({ path, volume }) => [path, join(folder, volume)]));
  for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
  const variables = Object.entries({ ...environment, ...slotEnvironment, ...environments[name] });
  const child = spawn(process.execPath, ['--import', exitWithParent, join(entryFolder, definition.entryFile)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      // Compiled code, which makes later starts faster.
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      // The path of a mount is replaced by a folder of the task.
      ...Object.fromEntries(variables.map(([variable, value]) => [variable, paths[value] ?? value])),
    },
  });
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on('line', (line) => onLogLine(name, line));
  }
  // Only the administrator may raise a priority that is lower already.
  if (child.pid) setPriority(child.pid, Math.max(niceness, getPriority(child.pid)));
  const exitCode = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
  });
  return { child, exitCode };
}

/** Ends a container and its own child processes at once. */
export function killContainer({ child: { pid } }: Container): void {
  try {
    if (pid) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
