import { ECSClient, paginateListTasks, RunTaskCommand } from '@aws-sdk/client-ecs';
import { readEnvironment } from '../../shared/environment.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';

const client = new ECSClient({});

/** RunTask starts at most ten tasks in a call. */
const tasksPerCall = 10;

type Strategy = { capacityProvider: 'FARGATE' | 'FARGATE_SPOT'; weight: number }[];

const onDemand: Strategy = [{ capacityProvider: 'FARGATE', weight: 1 }];

/**
 * The number of tasks that are starting or running, as far as ECS lists them yet. Undefined when ECS refuses, for
 * example by throttling, which must not fail the video for which workers are launched.
 */
export async function countTasks(): Promise<number | undefined> {
  const [cluster, family] = [readEnvironment('CLUSTER'), readEnvironment('TASK_DEFINITION_FAMILY')];
  let count = 0;
  try {
    for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster, family })) count += taskArns.length;
    return count;
  } catch (error) {
    reportNotStarted([reasonOf(error)], 1);
    return undefined;
  }
}

/**
 * Starts tasks and returns how many ECS has accepted. Tasks without Spot capacity are started on demand. It does not
 * throw when ECS refuses: the jobs stay queued, and the next call tries again.
 */
export async function startTasks(wanted: number): Promise<number> {
  const spotTaskShare = readEnvironment('SPOT_TASK_SHARE');
  let started = 0;
  for (let left = wanted; left > 0; left -= tasksPerCall) {
    const count = Math.min(left, tasksPerCall);
    const launch = await runTasks(count, mixed(spotTaskShare));
    const retry =
      spotTaskShare > 0 && launch.reasons.some(isCapacityMissing)
        ? await runTasks(count - launch.started, onDemand)
        : { started: 0, reasons: launch.reasons };
    const startedNow = launch.started + retry.started;
    started += startedNow;
    if (startedNow < count) {
      reportNotStarted(retry.reasons, count - startedNow);
      break;
    }
  }
  return started;
}

/** ECS reports it for tasks that the strategy has placed on Spot. */
const isCapacityMissing = (reason: string): boolean => /capacity/i.test(reason);

const mixed = (spotTaskShare: number): Strategy =>
  [
    { capacityProvider: 'FARGATE_SPOT' as const, weight: Math.round(spotTaskShare * 100) },
    { capacityProvider: 'FARGATE' as const, weight: Math.round((1 - spotTaskShare) * 100) },
  ].filter(({ weight }) => weight > 0);

/** One call of RunTask. A call that ECS throttles or refuses as a whole has started nothing. */
async function runTasks(count: number, strategy: Strategy): Promise<{ started: number; reasons: string[] }> {
  try {
    const { tasks = [], failures = [] } = await client.send(
      new RunTaskCommand({
        cluster: readEnvironment('CLUSTER'),
        count,
        taskDefinition: readEnvironment('TASK_DEFINITION'),
        capacityProviderStrategy: strategy,
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: [...readEnvironment('SUBNETS')],
            securityGroups: [readEnvironment('SECURITY_GROUP')],
            assignPublicIp: 'ENABLED',
          },
        },
      }),
    );
    return { started: tasks.length, reasons: failures.map(({ reason = 'unknown' }) => reason) };
  } catch (error) {
    return { started: 0, reasons: [reasonOf(error)] };
  }
}

const reasonOf = (error: unknown): string => `${(error as Error).name}: ${(error as Error).message}`;

function reportNotStarted(reasons: string[], tasks: number): void {
  log.warn('tasks did not start', { reasons });
  emitMetric('TasksNotStarted', tasks);
}
