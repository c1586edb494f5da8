import { setTimeout as sleep } from 'node:timers/promises';
import { log } from '../common/log.ts';
import { findLaunches, reserveLaunch } from '../table/jobs/launch-table.ts';
import { listTasks, stoppedTasks } from './start-tasks.ts';

const maxAttempts = 10;

export type Reservation = { id: string; tasks: number };

/**
 * Reserves tasks before they are started. ECS lists a task some time after it has accepted it, so the tasks of recent
 * launches are counted by the table: of launches at the same time, one reserves first, and the others count again.
 * @param countFor how many tasks to start beside those that are running or starting
 * @returns undefined when there are none to start, or when it is not known how many are running
 */
export async function reserveTasks(countFor: (runningTasks: number) => number): Promise<Reservation | undefined> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const launches = await findLaunches();
    const listed = await listTasks();
    // ECS did not answer.
    if (!listed) return undefined;
    const unlisted = launches.taskIds.filter((id) => !listed.has(id));
    const stopped = await stoppedTasks(unlisted);
    const tasks = countFor(listed.size + unlisted.length - stopped.size + launches.reserved);
    if (tasks === 0) return undefined;
    const id = await reserveLaunch(launches, tasks);
    if (id !== undefined) return { id, tasks };
    await sleep(Math.random() * 50 * attempt);
  }
  log.warn('no task was started, because other launches were faster', { attempts: maxAttempts });
  return undefined;
}
