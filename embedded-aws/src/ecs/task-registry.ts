import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { readJson, writeWhole } from '../durable/whole-file.ts';
import type { KnownTask, Task } from './task-process.ts';

/** Stopped tasks that can still be listed. ECS keeps them for about an hour. */
const maxStoppedTasks = 100;

export type TaskRegistry = Awaited<ReturnType<typeof openTaskRegistry>>;

/** The tasks by ARN. `file` keeps the stopped ones, so that a caller that started them learns it after a restart. */
export async function openTaskRegistry(file: string) {
  const running = new Map<string, Task>();
  const stopped = new Map((await readStopped(file)).map((task) => [task.arn, task]));
  let saved: Promise<void> = Promise.resolve();
  const all = (): KnownTask[] => [...stopped.values(), ...running.values()];
  const save = (): Promise<void> => writeWhole(file, JSON.stringify([...stopped.values()]));

  return {
    all,
    /** Those that have not stopped. */
    running: (): Task[] => [...running.values()],
    find: (arn: string): KnownTask | undefined => running.get(arn) ?? stopped.get(arn),
    findRunning: (arn: string): Task | undefined => running.get(arn),
    add(task: Task): void {
      // A task that has ended at once was moved before it was added.
      if (!stopped.has(task.arn)) running.set(task.arn, task);
    },
    /** Moves a task to the stopped ones and removes the oldest of these. */
    stop(task: KnownTask): Promise<void> {
      running.delete(task.arn);
      stopped.set(task.arn, task);
      for (const oldest of [...stopped.keys()].slice(0, -maxStoppedTasks)) stopped.delete(oldest);
      const own = saved.then(save);
      saved = own.catch(() => {});
      return own;
    },
    /** Resolves when the ends of all stopped tasks are stored, or could not be. */
    stored: (): Promise<void> => saved,
  };
}

const tasks = z.array(z.looseObject({ arn: z.string() }));

async function readStopped(file: string): Promise<KnownTask[]> {
  await mkdir(dirname(file), { recursive: true });
  return ((await readJson(file, tasks.parse)) ?? []) as KnownTask[];
}

/** Pending until its containers are started. */
export const statusOf = ({ state }: KnownTask): 'PENDING' | 'RUNNING' | 'STOPPED' =>
  state.stoppedAtMs !== undefined ? 'STOPPED' : state.startedAtMs !== undefined ? 'RUNNING' : 'PENDING';
