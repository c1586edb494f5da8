import { ServiceError } from '../control/json-protocol.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { describeTask } from './describe-tasks.ts';
import type { EcsContext, EcsInput } from './ecs-context.ts';

/** Answers at once, as ECS does. The task stops afterwards. */
export function stopTask({ tasks }: EcsContext, input: EcsInput, caller: Principal) {
  authorize(caller, 'ecs:StopTask', String(input.task));
  const task = tasks.find(String(input.task));
  if (!task) throw new ServiceError('InvalidParameterException', 'The referenced task was not found.');
  void task.stop();
  return { task: { ...describeTask(task), desiredStatus: 'STOPPED' } };
}
