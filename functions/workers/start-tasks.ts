import { DescribeTasksCommand, ECSClient, paginateListTasks, RunTaskCommand } from '@aws-sdk/client-ecs';
import { readEnvironment } from '../../shared/environment.ts';
import { emitMetric } from '../common/emit-metric.ts';
import { log } from '../common/log.ts';
import { launchRounds } from './launch-count.ts';

const client = new ECSClient({});

/** DescribeTasks describes at most a hundred. */
const describedPerCall = 100;

type Strategy = { capacityProvider: 'FARGATE' | 'FARGATE_SPOT'; weight: number }[];

const onDemand: Strategy = [{ capacityProvider: 'FARGATE', weight: 1 }];
const onSpot: Strategy = [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }];

/**
 * The ids of the tasks that are starting or running, as far as ECS lists them yet. Undefined when ECS refuses, for
 * example by throttling, which must not fail the video for which workers are launched.
 */
export async function listTasks(): Promise<Set<string> | undefined> {
  const [cluster, family] = [readEnvironment('CLUSTER'), readEnvironment('TASK_DEFINITION_FAMILY')];
  const ids = new Set<string>();
  try {
    for await (const { taskArns = [] } of paginateListTasks({ client }, { cluster, family })) {
      for (const arn of taskArns) ids.add(idOf(arn));
    }
    return ids;
  } catch (error) {
    reportNotStarted([reasonOf(error)], 1);
    return undefined;
  }
}

/** Which of these tasks have stopped. A task that ECS does not describe is not one of them: it may be too new. */
export async function stoppedTasks(taskIds: readonly string[]): Promise<Set<string>> {
  const stopped = new Set<string>();
  try {
    for (let at = 0; at < taskIds.length; at += describedPerCall) {
      const tasks = taskIds.slice(at, at + describedPerCall);
      const described = await client.send(new DescribeTasksCommand({ cluster: readEnvironment('CLUSTER'), tasks }));
      for (const { taskArn, lastStatus } of described.tasks ?? []) {
        if (taskArn && lastStatus === 'STOPPED') stopped.add(idOf(taskArn));
      }
    }
  } catch (error) {
    log.warn('tasks were not described', { error: error as Error });
  }
  return stopped;
}

/** The last part of `arn:aws:ecs:…:task/cluster/id`. */
const idOf = (taskArn: string): string => taskArn.slice(taskArn.lastIndexOf('/') + 1);

/** `unknown` counts tasks that may have been started: the response of ECS was lost. */
export type Started = { taskIds: string[]; unknown: number };
type Launch = Started & { reasons: string[] };

/**
 * Starts tasks. It does not throw when ECS refuses: the jobs stay queued, and the next call tries again. Tasks without
 * Spot capacity are started on demand.
 */
export async function startTasks(wanted: number): Promise<Started> {
  const started: Started = { taskIds: [], unknown: 0 };
  for (const round of launchRounds(wanted)) {
    const launches = await Promise.all(round.map(startInOneCall));
    started.taskIds.push(...launches.flatMap(({ taskIds }) => taskIds));
    started.unknown += launches.reduce((sum, { unknown }) => sum + unknown, 0);
    const missing = launches.filter(({ taskIds }, call) => taskIds.length < round[call]!);
    if (missing.length === 0) continue;
    const asked = round.reduce((sum, count) => sum + count, 0);
    const startedNow = launches.reduce((sum, { taskIds }) => sum + taskIds.length, 0);
    reportNotStarted(
      missing.flatMap(({ reasons }) => reasons),
      asked - startedNow,
    );
    break;
  }
  return started;
}

/** Starts up to ten tasks, those without Spot capacity or quota on demand. */
async function startInOneCall(count: number): Promise<Launch> {
  const spotTaskShare = readEnvironment('SPOT_TASK_SHARE');
  const strategy = strategyFor(count, spotTaskShare);
  const launch = await runTasks(count, strategy);
  if (strategy === onDemand || !launch.reasons.some(isCapacityMissing)) return launch;
  const retry = await runTasks(count - launch.taskIds.length, onDemand);
  return {
    taskIds: [...launch.taskIds, ...retry.taskIds],
    unknown: launch.unknown + retry.unknown,
    reasons: retry.reasons,
  };
}

/**
 * ECS reports it for tasks that the strategy has placed on Spot. The quotas of Spot and on demand are separate:
 * "You've reached the limit on the number of vCPUs you can run concurrently" is about the one of them.
 */
const isCapacityMissing = (reason: string): boolean => /capacity|limit on the number/i.test(reason);

/** Fewer tasks than this cannot be divided: ECS would place each of them on the provider with the larger weight. */
const fewestDivided = 5;

function strategyFor(count: number, spotTaskShare: number): Strategy {
  if (spotTaskShare === 0) return onDemand;
  if (count >= fewestDivided) return mixed(spotTaskShare);
  return Math.random() < spotTaskShare ? onSpot : onDemand;
}

const mixed = (spotTaskShare: number): Strategy =>
  [
    { capacityProvider: 'FARGATE_SPOT' as const, weight: Math.round(spotTaskShare * 100) },
    { capacityProvider: 'FARGATE' as const, weight: Math.round((1 - spotTaskShare) * 100) },
  ].filter(({ weight }) => weight > 0);

/** One call of RunTask. A call that ECS throttles or refuses as a whole has started nothing. */
async function runTasks(count: number, strategy: Strategy): Promise<Launch> {
  try {
    const { tasks = [], failures = [] } = await client.send(
      new RunTaskCommand({
        cluster: readEnvironment('CLUSTER'),
        count,
        taskDefinition: readEnvironment('TASK_DEFINITION'),
        capacityProviderStrategy: strategy,
        // The bill has the stage of a task by its tags only, which it does not get otherwise.
        propagateTags: 'TASK_DEFINITION',
        enableECSManagedTags: true,
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: [...readEnvironment('SUBNETS')],
            securityGroups: [readEnvironment('SECURITY_GROUP')],
            assignPublicIp: 'ENABLED',
          },
        },
      }),
    );
    const taskIds = tasks.flatMap(({ taskArn }) => (taskArn ? idOf(taskArn) : []));
    return { taskIds, unknown: 0, reasons: failures.map(({ reason = 'unknown' }) => reason) };
  } catch (error) {
    return { taskIds: [], unknown: isRefusal(error) ? 0 : count, reasons: [reasonOf(error)] };
  }
}

/** Whether ECS has answered with a refusal. After a timeout or a server error ECS may have started the tasks. */
function isRefusal(error: unknown): boolean {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
  return (status >= 400 && status < 500) || (error as Error).name === 'ThrottlingException';
}

const reasonOf = (error: unknown): string => `${(error as Error).name}: ${(error as Error).message}`;

function reportNotStarted(reasons: string[], tasks: number): void {
  log.warn('tasks did not start', { reasons });
  emitMetric('TasksNotStarted', tasks);
}
