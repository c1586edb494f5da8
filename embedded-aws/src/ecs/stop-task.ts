import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { describeTask } from './describe-tasks.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';
import { clusterArn, clusterNameOf, taskArn } from './task-definitions.ts';

/** Answers at once, as ECS does. The task stops afterwards. */
export function stopTask({ options, tasks }: EcsContext, input: EcsInput, caller: Principal) {
  const arn = taskArn(clusterArn(options, clusterNameOf(input.cluster)), String(input.task));
  authorize(caller, 'ecs:StopTask', arn);
  const task = tasks.findRunning(arn);
  if (!task) throw new ServiceError('InvalidParameterException', 'The referenced task was not found.');
  void task.stop({ code: 'UserInitiated' });
  return { task: { ...describeTask(task), desiredStatus: 'STOPPED' } };
}
