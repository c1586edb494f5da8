import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { isListedAsRunning } from './ecs-chaos.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';
import { clusterArn, clusterNameOf, familyOf, taskArn } from './task-definitions.ts';
import type { KnownTask } from './task-process.ts';
import { statusOf } from './task-registry.ts';

export function listTasks({ options, tasks }: EcsContext, input: EcsInput, caller: Principal) {
  const { desiredStatus = 'RUNNING', family } = input;
  const cluster = clusterNameOf(input.cluster);
  authorize(caller, 'ecs:ListTasks', '*', { 'ecs:cluster': clusterArn(options, cluster) });
  const listed = tasks
    .all()
    .filter(
      (task) =>
        task.arn.includes(`:task/${cluster}/`) &&
        (desiredStatus === 'STOPPED' ? statusOf(task) === 'STOPPED' : isListedAsRunning(task, options.chaos)) &&
        (family === undefined || familyOf(task.definition.arn) === family),
    );
  return { taskArns: listed.map(({ arn }) => arn) };
}

/** At most this many tasks are described in a call. */
const maxDescribed = 100;

export function describeTasks({ options, tasks }: EcsContext, input: EcsInput, caller: Principal) {
  const cluster = clusterArn(options, clusterNameOf(input.cluster));
  const arns = [input.tasks ?? []].flat().map((task) => taskArn(cluster, String(task)));
  if (arns.length === 0 || arns.length > maxDescribed) {
    throw new ServiceError('InvalidParameterException', `Tasks must have 1 to ${maxDescribed} entries.`);
  }
  for (const arn of arns) authorize(caller, 'ecs:DescribeTasks', arn, { 'ecs:cluster': cluster });
  const found = arns.flatMap((arn) => tasks.find(arn) ?? []);
  const missing = arns.filter((arn) => !tasks.find(arn));
  return { tasks: found.map(describeTask), failures: missing.map((arn) => ({ arn, reason: 'MISSING' })) };
}

export function describeTask(task: KnownTask) {
  const { arn, definition, createdAtMs } = task;
  const { startedAtMs, stoppedAtMs, stopCode, exitCode } = task.state;
  const status = statusOf(task);
  return {
    taskArn: arn,
    clusterArn: arn.replace(/:task\/(.+)\/[^/]+$/, ':cluster/$1'),
    taskDefinitionArn: definition.arn,
    lastStatus: status,
    desiredStatus: status === 'STOPPED' ? 'STOPPED' : 'RUNNING',
    createdAt: createdAtMs / 1000,
    ...(startedAtMs !== undefined && { startedAt: startedAtMs / 1000 }),
    ...(stoppedAtMs !== undefined && { stoppedAt: stoppedAtMs / 1000, stopCode }),
    containers: definition.containers.map(({ name }) => ({
      name,
      lastStatus: status,
      ...(exitCode !== undefined && { exitCode }),
    })),
  };
}
