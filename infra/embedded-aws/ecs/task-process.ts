import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { ContainerEnvironments } from './container-environments.ts';

/** A lower priority than that of this process, which has to answer requests while every core is busy. */
const niceness = 5;
/** Time between SIGTERM and SIGKILL. The whole shutdown has to end within five seconds. */
const stopTimeoutMs = 3000;
const exitWithParent = fileURLToPath(new URL('./exit-with-parent.ts', import.meta.url));

export type TaskInput = {
  arn: string;
  definition: TaskDefinition;
  /** The folder that contains the entry files of the containers. */
  entryFolder: string;
  /** For the files of this task. Removed when the task has stopped. */
  folder: string;
  /** Added to the environments of the definition, by container. */
  environments: ContainerEnvironments;
  slotEnvironment: Record<string, string>;
  onLogLine: (containerName: string, line: string) => void;
  onStopped: () => void;
};

/**
 * Runs the containers of a task as child processes, each the leader of a process group. The task has stopped when all
 * of them have ended.
 */
export async function startTask({
  arn,
  definition,
  entryFolder,
  folder,
  environments,
  slotEnvironment,
  onLogLine,
  onStopped,
}: TaskInput) {
  const children = await Promise.all(
    definition.containers.map(async ({ name, environment, mounts }) => {
      const paths = Object.fromEntries(mounts.map(({ path, volume }) => [path, join(folder, volume)]));
      for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
      const variables = Object.entries({ ...environment, ...slotEnvironment, ...environments[name] });
      const child = spawn(process.execPath, ['--import', exitWithParent, join(entryFolder, definition.entryFile)], {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          PATH: process.env.PATH,
          // The path of a mount is replaced by a folder of the task.
          ...Object.fromEntries(variables.map(([variable, value]) => [variable, paths[value] ?? value])),
        },
      });
      for (const stream of [child.stdout!, child.stderr!]) {
        createInterface({ input: stream }).on('line', (line) => onLogLine(name, line));
      }
      if (child.pid) setPriority(child.pid, niceness);
      return child;
    }),
  );
  const exitCodes = children.map(
    (child) =>
      new Promise<number>((resolve) => {
        child.once('error', () => resolve(127));
        child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 143)));
      }),
  );
  const state = { exitCode: undefined as number | undefined, stoppedAtMs: undefined as number | undefined };
  const stopped = Promise.all(exitCodes).then(async ([exitCode = 0]) => {
    await rm(folder, { recursive: true, force: true });
    Object.assign(state, { exitCode, stoppedAtMs: Date.now() });
    onStopped();
  });

  return {
    arn,
    definition,
    startedAtMs: Date.now(),
    state,
    /** Sends `wake` over the IPC channel. Errors are ignored: they mean that the child is ending. */
    wake(): void {
      for (const child of children) if (child.connected) child.send('wake', () => {});
    },
    /** Sends SIGTERM, and SIGKILL to the process groups after the timeout. Resolves when all processes have ended. */
    async stop(): Promise<void> {
      for (const child of children) child.kill('SIGTERM');
      const timer = setTimeout(() => {
        for (const { pid } of children) if (pid) killGroup(pid);
      }, stopTimeoutMs);
      await stopped;
      clearTimeout(timer);
    },
  };
}

export type Task = Awaited<ReturnType<typeof startTask>>;

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
