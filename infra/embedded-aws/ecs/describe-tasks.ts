import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';
import { clusterArn, clusterNameOf, familyOf } from './task-definitions.ts';
import type { Task } from './task-process.ts';
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
        statusOf(task) === desiredStatus &&
        (family === undefined || familyOf(task.definition.arn) === family),
    );
  return { taskArns: listed.map(({ arn }) => arn) };
}

export function describeTasks({ tasks }: EcsContext, input: EcsInput, caller: Principal) {
  const arns = [input.tasks ?? []].flat().map(String);
  for (const arn of arns) authorize(caller, 'ecs:DescribeTasks', arn);
  const found = arns.flatMap((arn) => tasks.find(arn) ?? []);
  const missing = arns.filter((arn) => !tasks.find(arn));
  return { tasks: found.map(describeTask), failures: missing.map((arn) => ({ arn, reason: 'MISSING' })) };
}

export function describeTask(task: Task) {
  const { arn, definition, startedAtMs } = task;
  const { stoppedAtMs, exitCode } = task.state;
  const status = statusOf(task);
  return {
    taskArn: arn,
    clusterArn: arn.replace(/:task\/(.+)\/[^/]+$/, ':cluster/$1'),
    taskDefinitionArn: definition.arn,
    lastStatus: status,
    desiredStatus: status,
    createdAt: startedAtMs / 1000,
    startedAt: startedAtMs / 1000,
    ...(stoppedAtMs !== undefined && { stoppedAt: stoppedAtMs / 1000, stopCode: 'EssentialContainerExited' }),
    containers: definition.containers.map(({ name }) => ({
      name,
      lastStatus: status,
      ...(exitCode !== undefined && { exitCode }),
    })),
  };
}
