import { ECSClient, ListTasksCommand, RunTaskCommand } from '@aws-sdk/client-ecs';
import { env, envNumber } from '../../shared/env.ts';
import { log } from '../../shared/log.ts';
import { nextInQueue } from '../../shared/table/jobs.ts';

const client = new ECSClient({});

/** RunTask starts at most ten tasks a call. */
const tasksPerCall = 10;

/** Deeper looks into the queue change nothing: the stage's limit on tasks is far below. */
const lookAhead = 500;

/**
 * Starts as many tasks as the queued work, and work that is about to be queued, is worth, up to the stage's limit. Tasks that run already take their share of the queue. A launch that
 * fails leaves the jobs queued; the next tick tries again.
 */
export async function launchWorkers(
  upcoming: { jobs: number; seconds: number } = { jobs: 0, seconds: 0 },
): Promise<number> {
  const queued = await nextInQueue(lookAhead);
  const seconds = queued.reduce((sum, job) => sum + job.estimateSeconds, upcoming.seconds);
  const wanted = Math.min(queued.length + upcoming.jobs, Math.ceil(seconds / envNumber('SECONDS_PER_TASK', 180)));
  if (wanted === 0) return 0;

  const cluster = env('CLUSTER');
  const family = env('TASK_DEFINITION_FAMILY');
  const { taskArns = [] } = await client.send(new ListTasksCommand({ cluster, family }));
  let left = Math.min(wanted, envNumber('MAX_TASKS', 10) - taskArns.length);
  let started = 0;
  while (left > 0) {
    const count = Math.min(left, tasksPerCall);
    const { tasks = [], failures = [] } = await client.send(runTask(cluster, count));
    started += tasks.length;
    left -= count;
    if (failures.length > 0) {
      log.warn('tasks did not start', { reasons: failures.map(({ reason }) => reason) });
      break;
    }
  }
  return started;
}

function runTask(cluster: string, count: number): RunTaskCommand {
  const spot = envNumber('SPOT_SHARE', 1);
  return new RunTaskCommand({
    cluster,
    count,
    taskDefinition: env('TASK_DEFINITION'),
    capacityProviderStrategy: [
      { capacityProvider: 'FARGATE_SPOT', weight: Math.round(spot * 100) },
      { capacityProvider: 'FARGATE', weight: Math.round((1 - spot) * 100) },
    ].filter(({ weight }) => weight > 0),
    networkConfiguration: {
      awsvpcConfiguration: {
        subnets: env('SUBNETS').split(','),
        securityGroups: [env('SECURITY_GROUP')],
        assignPublicIp: 'ENABLED',
      },
    },
  });
}
