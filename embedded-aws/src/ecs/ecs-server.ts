import type { ControlService } from '../control/control-service.ts';
import { ServiceError } from '../control/json-protocol.ts';
import { operationHandler } from '../control/operation-handler.ts';
import { authorize } from '../iam/authorize.ts';
import type { Principal } from '../iam/principals.ts';
import { describeTask, describeTasks, listTasks } from './describe-tasks.ts';
import type { EcsContext, EcsInput, EcsOptions } from './ecs-context.ts';
import { relaunchInterruptedTasks } from './launch-task.ts';
import { createLaunchTokens } from './launch-tokens.ts';
import { runTask } from './run-task.ts';
import { clusterArn, clusterNameOf, taskArn } from './task-definitions.ts';
import { openTaskRegistry } from './task-registry.ts';
import { createTaskSlots } from './task-slots.ts';
import { createVcpuQuotas } from './vcpu-quotas.ts';

export const ecsTarget = 'AmazonEC2ContainerServiceV20141113';
const maxBodyBytes = 256 * 1024;
/** Time between SIGTERM and SIGKILL when the service is closed, which has to end within five seconds. */
const closeTimeoutMs = 3000;

type Operation = (context: EcsContext, input: EcsInput, caller: Principal) => object | Promise<object>;

const operations: Record<string, Operation> = {
  RunTask: runTask,
  ListTasks: listTasks,
  DescribeTasks: describeTasks,
  StopTask: stopTask,
};

/**
 * Opens the embedded ECS, which runs tasks as child processes. Tasks that were killed together with the previous
 * process are started again.
 */
export async function openEcs(options: EcsOptions) {
  const tasks = await openTaskRegistry(`${options.folder}-stopped.json`);
  const slots = createTaskSlots(options.maxTasks);
  const context: EcsContext = {
    options,
    tasks,
    slots,
    tokens: createLaunchTokens(),
    vcpus: createVcpuQuotas(options.limits),
  };
  await relaunchInterruptedTasks(context);

  const service: ControlService = {
    signingName: 'ecs',
    protocol: 'json-1.1',
    maxBodyBytes,
    handle: operationHandler({
      protocol: 'json-1.1',
      operations,
      perform: (operation, { input, caller }) => operation(context, input, caller),
    }),
  };

  return {
    service,

    /** Notifies every running task that there may be work. */
    wakeTasks(): void {
      for (const task of tasks.running()) task.wake();
    },

    /** Stops every task. Resolves when their processes have ended and this is stored. */
    async close(): Promise<void> {
      slots.close();
      await Promise.all(tasks.running().map((task) => task.stop({ timeoutMs: closeTimeoutMs })));
      // A task that had ended just before is no longer among the running ones.
      await tasks.stored();
    },
  };
}

/** Answers at once, as ECS does. The task stops afterwards. */
function stopTask({ options, tasks }: EcsContext, input: EcsInput, caller: Principal) {
  const arn = taskArn(clusterArn(options, clusterNameOf(input.cluster)), String(input.task));
  authorize(caller, 'ecs:StopTask', arn);
  const task = tasks.findRunning(arn);
  if (!task) throw new ServiceError('InvalidParameterException', 'The referenced task was not found.');
  void task.stop({ code: 'UserInitiated' });
  return { task: { ...describeTask(task), desiredStatus: 'STOPPED' } };
}
