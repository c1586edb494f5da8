import { readEnvironment } from '../../shared/environment.ts';
import { log } from '../common/log.ts';
import { countPoolLeases } from '../table/jobs/lease-lists.ts';
import { recordLaunch } from '../table/launches/launch-table.ts';
import { findNodeCapacity } from '../table/nodes/node-capacity-table.ts';
import { ingestQueue, queuedByAll, queuedJobs } from '../table/queue/queue-table.ts';
import { launchCount } from './launch-count.ts';
import { reserveTasks } from './reserve-tasks.ts';
import { startTasks } from './start-tasks.ts';

/** How many queued jobs are read. More would change nothing, since the limit on tasks is far below. */
const lookAhead = 500;

/**
 * Starts tasks for the queued and upcoming work that the nodes cannot do, up to the limit. A launch that fails leaves
 * the jobs queued; the next tick tries again.
 */
export async function launchWorkers(
  upcoming: { jobs: number; seconds: number } = { jobs: 0, seconds: 0 },
): Promise<number> {
  const [queued, ingests] = await Promise.all([queuedByAll(lookAhead), queuedJobs(ingestQueue, lookAhead)]);
  if (queued.length + ingests.length + upcoming.jobs === 0) return 0;
  const [leases, { capacity }] = await Promise.all([countPoolLeases(), findNodeCapacity()]);
  // A task fetches an ingest beside the job that it encodes.
  const lines = [
    { queued, upcoming, leases: leases.jobs },
    { queued: ingests, upcoming: { jobs: 0, seconds: 0 }, leases: leases.ingests },
  ];
  const reservation = await reserveTasks((runningTasks) =>
    Math.max(
      ...lines.map((line) =>
        launchCount({
          queuedJobs: line.queued.length + line.upcoming.jobs,
          queuedSeconds: line.queued.reduce((sum, job) => sum + job.estimateSeconds, line.upcoming.seconds),
          nodeCapacity: capacity,
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
