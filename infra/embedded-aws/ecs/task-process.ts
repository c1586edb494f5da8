import { spawn } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { TaskDefinition } from '../template/read-task-definitions.ts';

/** Below the API and the store, which have to answer while every core encodes. */
const niceness = 5;
/** What a task has to end by itself after SIGTERM, before it is killed; all of a stop has to fit into five seconds. */
const graceMs = 3000;
const exitWithParent = fileURLToPath(new URL('./exit-with-parent.ts', import.meta.url));

export type TaskInput = {
  arn: string;
  definition: TaskDefinition;
  /** The folder that the containers' entry files are in. */
  entryFolder: string;
  /** The task's own; removed when it has stopped. */
  folder: string;
  /** By container name; added to the definition's environment. */
  environments: Record<string, Record<string, string>>;
  placeEnvironment: Record<string, string>;
  onLogLine: (containerName: string, line: string) => void;
  onStopped: () => void;
};

/** Runs the containers of a task as child processes, each the leader of its own process group. The task has stopped when all of them have. */
export async function startTask({
  arn,
  definition,
  entryFolder,
  folder,
  environments,
  placeEnvironment,
  onLogLine,
  onStopped,
}: TaskInput) {
  const children = await Promise.all(
    definition.containers.map(async ({ name, environment, mounts }) => {
      const paths = Object.fromEntries(mounts.map(({ path, volume }) => [path, join(folder, volume)]));
      for (const path of Object.values(paths)) await mkdir(path, { recursive: true });
      const variables = Object.entries({ ...environment, ...placeEnvironment, ...environments[name] });
      const child = spawn(process.execPath, ['--import', exitWithParent, join(entryFolder, definition.entryFile)], {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        env: {
          PATH: process.env.PATH,
          // What the container finds at a mount is a folder of the task here.
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
    /** Over the channel that only this process and its child have. A child that is just ending needs no waking. */
    wake(): void {
      for (const child of children) if (child.connected) child.send('wake', () => {});
    },
    /** Asks the processes to end, kills their groups when they do not, and resolves when they are gone. */
    async stop(): Promise<void> {
      for (const child of children) child.kill('SIGTERM');
      const timer = setTimeout(() => {
        for (const { pid } of children) if (pid) killGroup(pid);
      }, graceMs);
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
    // It has ended in the meantime.
  }
}
