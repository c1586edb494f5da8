import { ECSClient, paginateListTasks, RunTaskCommand } from '@aws-sdk/client-ecs';
import { readEnvironment } from '../../shared/environment.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { countLeases } from '../table/jobs/job-leases.ts';
import { poolNode } from '../table/nodes/pool-node.ts';
import { queuedByAll } from '../table/queue/queue-table.ts';
import { launchCount } from './launch-count.ts';
import { nodeCapacity } from './node-capacity.ts';

const client = new ECSClient({});

/** RunTask starts at most ten tasks in a call. */
const tasksPerCall = 10;

/** How many queued jobs are read. More would change nothing, since the limit on tasks is far below. */
const lookAhead = 500;

/**
 * Starts tasks for the queued and upcoming work that the nodes cannot do, up to the limit. A launch that fails leaves
 * the jobs queued; the next tick tries again.
 */
export async function launchWorkers(
  upcoming: { jobs: number; seconds: number } = { jobs: 0, seconds: 0 },
): Promise<number> {
  const queued = await queuedByAll(lookAhead);
  const queuedJobs = queued.length + upcoming.jobs;
  if (queuedJobs === 0) return 0;
  const cluster = readEnvironment('CLUSTER');
  const [runningTasks, leases, capacity] = await Promise.all([
    countTasks(cluster),
    countLeases(poolNode),
    nodeCapacity(),
  ]);
  let left = launchCount({
    queuedJobs,
    queuedSeconds: queued.reduce((sum, job) => sum + job.estimateSeconds, upcoming.seconds),
    nodeCapacity: capacity,
    secondsPerTask: readEnvironment('SECONDS_PER_TASK'),
    idleTasks: Math.max(0, runningTasks - leases),
    runningTasks,
    maxTasks: readEnvironment('MAX_TASKS'),
  });
  let started = 0;
  while (left > 0) {
    const count = Math.min(left, tasksPerCall);
    const { tasks = [], failures = [] } = await client.send(runTask(cluster, count));
    started += tasks.length;
    left -= count;
    if (failures.length > 0) {
      log.warn('tasks did not start', { reasons: failures.map(({ reason }) => reason) });
      emitMetric('TasksNotStarted', failures.length);
      break;
    }
  }
  return started;
}

async function countTasks(cluster: string): Promise<number> {
  const family = readEnvironment('TASK_DEFINITION_FAMILY');
  let count = 0;
  for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster, family })) count += taskArns.length;
  return count;
}

function runTask(cluster: string, count: number): RunTaskCommand {
  const spot = readEnvironment('SPOT_TASK_SHARE');
  return new RunTaskCommand({
    cluster,
    count,
    taskDefinition: readEnvironment('TASK_DEFINITION'),
    capacityProviderStrategy: [
      { capacityProvider: 'FARGATE_SPOT', weight: Math.round(spot * 100) },
      { capacityProvider: 'FARGATE', weight: Math.round((1 - spot) * 100) },
    ].filter(({ weight }) => weight > 0),
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: [...readEnvironment('SUBNETS')],
        securityGroups: [readEnvironment('SECURITY_GROUP')],
        assignPublicIp: 'ENABLED',
      },
    },
  });
}
