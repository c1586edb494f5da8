import type { Task } from './task-process.ts';

/** Stopped tasks that can still be listed. ECS keeps them for about an hour. */
const maxStoppedTasks = 100;

export type TaskRegistry = ReturnType<typeof createTaskRegistry>;

export function createTaskRegistry() {
  const tasks = new Map<string, Task>();
  const all = (): Task[] => [...tasks.values()];
  return {
    all,
    running: (): Task[] => all().filter((task) => statusOf(task) === 'RUNNING'),
    find: (arn: string): Task | undefined => tasks.get(arn),
    add(task: Task): void {
      tasks.set(task.arn, task);
    },
    /** Removes the oldest stopped tasks. */
    removeOldest(): void {
      const stopped = all().filter((task) => statusOf(task) === 'STOPPED');
      for (const { arn } of stopped.slice(0, -maxStoppedTasks)) tasks.delete(arn);
    },
  };
}

export const statusOf = ({ state }: Task): 'RUNNING' | 'STOPPED' =>
  state.stoppedAtMs === undefined ? 'RUNNING' : 'STOPPED';
