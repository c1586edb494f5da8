import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { containerEnvironments } from './container-environments.ts';
import { describeTask } from './describe-tasks.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';
import { launchTask } from './launch-task.ts';
import { readRunTaskInput } from './run-task-input.ts';
import { clusterArn, findTaskDefinition } from './task-definitions.ts';

/** Starts as many tasks as there are free slots. The others fail as they do on AWS when capacity is short. */
export async function runTask(context: EcsContext, input: EcsInput, caller: Principal) {
  const { options, slots } = context;
  const { request, count } = readRunTaskInput(input);
  const definition = findTaskDefinition(options.taskDefinitions, request.taskDefinition);
  const cluster = clusterArn(options, request.cluster);
  authorize(caller, 'ecs:RunTask', definition.arn, { 'ecs:cluster': cluster });
  for (const role of definition.roleArns) {
    authorize(caller, 'iam:PassRole', role, { 'iam:passedtoservice': 'ecs-tasks.amazonaws.com' });
  }
  const environments = containerEnvironments(request, definition, options.parameter);
  const taken = slots.take(count);
  const tasks = await Promise.all(taken.map((slot) => launchTask(context, slot, request, environments)));
  const failure = {
    arn: cluster,
    reason: 'RESOURCE:CPU',
    detail: `This machine runs at most ${slots.count} tasks at the same time.`,
  };
  return {
    tasks: tasks.map(describeTask),
    failures: Array.from({ length: count - taken.length }, () => failure),
  };
}
