import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { containerEnvironments } from './container-environments.ts';
import { describeTask } from './describe-tasks.ts';
import { noCapacityReason } from './ecs-chaos.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';
import { launchTask } from './launch-task.ts';
import { readRunTaskInput } from './run-task-input.ts';
import { clusterArn, findTaskDefinition } from './task-definitions.ts';
import { quotaReason } from './vcpu-quotas.ts';

/** Starts as many tasks as there are free slots. The others fail as they do on AWS when capacity is short. */
export function runTask(context: EcsContext, input: EcsInput, caller: Principal): Promise<object> {
  const { clientToken, ...request } = input;
  return context.tokens.once(clientToken, request, () => runTaskOnce(context, request, caller));
}

async function runTaskOnce(context: EcsContext, input: EcsInput, caller: Principal): Promise<object> {
  const { options, slots, vcpus } = context;
  const { chaos } = options;
  const { request, count } = readRunTaskInput(input);
  const definition = findTaskDefinition(options.taskDefinitions, request.taskDefinition);
  const cluster = clusterArn(options, request.cluster);
  authorize(caller, 'ecs:RunTask', definition.arn, { 'ecs:cluster': cluster });
  for (const role of definition.roleArns) {
    authorize(caller, 'iam:PassRole', role, { 'iam:passedtoservice': 'ecs-tasks.amazonaws.com' });
  }
  if (input.propagateTags !== undefined || input.enableECSManagedTags === true) {
    const tasks = `${cluster.replace(':cluster/', ':task/')}/*`;
    authorize(caller, 'ecs:TagResource', tasks, { 'ecs:createaction': 'RunTask' });
  }
  const environments = containerEnvironments(request, definition, options.parameter);
  const failures = (missing: number, reason: string, detail?: string) =>
    Array.from({ length: missing }, () => ({ arn: cluster, reason, ...(detail && { detail }) }));
  if (chaos && Math.random() < chaos.throttledShare) throw new ServiceError('ThrottlingException', 'Rate exceeded');
  const hasCapacity = !chaos || Math.random() >= chaos.noCapacityShare;
  if (!hasCapacity) return { tasks: [], failures: failures(count, noCapacityReason) };
  const allowed = vcpus.allowed(count, request.isSpot === true, definition.vcpus);
  const taken = slots.take(allowed);
  const tasks = await Promise.all(taken.map((slot) => launchTask(context, slot, request, environments)));
  return {
    tasks: tasks.map(describeTask),
    failures: [
      ...failures(count - allowed, quotaReason),
      ...failures(
        allowed - taken.length,
        'RESOURCE:CPU',
        `This machine runs at most ${slots.count} tasks at the same time.`,
      ),
    ],
  };
}
