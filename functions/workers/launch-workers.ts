import { setTimeout as sleep } from 'node:timers/promises';
import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';
import { findLaunches, recordLaunch, reserveLaunch } from '../table/jobs/launch-table.ts';
import { countPoolLeases } from '../table/jobs/lease-lists.ts';
import { capacityFor, findNodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { fetcherQueue, queuedByAll, queuedJobs, transcriptionQueue } from '../table/queue/queue-table.ts';
import { launchCount } from './launch-count.ts';
import { listTasks, startTasks, stoppedTasks } from './start-tasks.ts';

/** How many queued jobs are read. More would change nothing, since the limit on tasks is far below. */
const lookAhead = 500;

/** Work that will be queued soon. `memoryMib` is what its largest jobs need. */
type Upcoming = { jobs: number; seconds: number; memoryMib?: number };

const nothing: Upcoming = { jobs: 0, seconds: 0 };

/**
 * Starts tasks for the queued and upcoming work that the nodes cannot do, up to the limit. A launch that fails leaves
 * the jobs queued; the next tick tries again.
 */
export async function launchWorkers(upcoming = nothing): Promise<number> {
  const [queued, forFetchers, transcriptions] = await Promise.all([
    queuedByAll(lookAhead),
    queuedJobs(fetcherQueue, lookAhead),
    queuedJobs(transcriptionQueue, lookAhead),
  ]);
  if (queued.length + forFetchers.length + transcriptions.length + upcoming.jobs === 0) return 0;
  const [leases, capacity] = await Promise.all([countPoolLeases(), findNodeCapacity()]);
  // The jobs of each size and all larger ones, against the nodes that hold them.
  const sizes = new Set([0, ...[...queued, upcoming].map(({ memoryMib = 0 }) => memoryMib)]);
  const lines = [
    ...[...sizes].map((size) => ({
      queued: queued.filter(({ memoryMib = 0 }) => memoryMib >= size),
      upcoming: (upcoming.memoryMib ?? 0) >= size ? upcoming : nothing,
      leases: leases.jobs,
      nodeCapacity: capacityFor(capacity, size),
    })),
    // A task runs an ingest or a storage delivery, and transcribes, beside the job that it encodes.
    { queued: forFetchers, upcoming: nothing, leases: leases.ofFetchers, nodeCapacity: capacity.capacity },
    // Registered servers have no model.
    { queued: transcriptions, upcoming: nothing, leases: leases.transcriptions, nodeCapacity: 0 },
  ];
  const reservation = await reserveTasks((runningTasks) =>
    Math.max(
      ...lines.map((line) =>
        launchCount({
          queuedJobs: line.queued.length + line.upcoming.jobs,
          queuedSeconds: line.queued.reduce((sum, job) => sum + job.estimateSeconds, line.upcoming.seconds),
          nodeCapacity: line.nodeCapacity,
          secondsPerTask: readEnvironment('SECONDS_PER_TASK'),
          idleTasks: Math.max(0, runningTasks - line.leases),
          runningTasks,
          maxTasks: readEnvironment('MAX_TASKS'),
        }),
      ),
    ),
  );
  if (!reservation) return 0;
  const { taskIds, unknown } = await startTasks(reservation.tasks);
  await recordLaunch(reservation.id, { taskIds, reserved: unknown }).catch((error: unknown) => {
    // The tasks are started, and the reservation counts them until it expires.
    log.warn('the launch was not recorded', { error: error as Error });
  });
  return taskIds.length;
}

const maxAttempts = 10;

type Reservation = { id: string; tasks: number };

/**
 * Reserves tasks before they are started. ECS lists a task some time after it has accepted it, so the tasks of recent
 * launches are counted by the table: of launches at the same time, one reserves first, and the others count again.
 * @param countFor how many tasks to start beside those that are running or starting
 * @returns undefined when there are none to start, or when it is not known how many are running
 */
async function reserveTasks(countFor: (runningTasks: number) => number): Promise<Reservation | undefined> {
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
