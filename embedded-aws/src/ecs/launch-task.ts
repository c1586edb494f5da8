import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ServiceError } from '../control/json-protocol.ts';
import { type ContainerEnvironments, containerEnvironments } from './container-environments.ts';
import { interruptionOf, startDelayOf } from './ecs-chaos.ts';
import type { EcsContext } from './ecs-context.ts';
import { saveTaskRequest, type TaskRequest, takeInterruptedRequests } from './interrupted-tasks.ts';
import { clusterArn, findTaskDefinition, taskArn } from './task-definitions.ts';
import { startTask, type Task } from './task-process.ts';

/** Starts a task in a slot that was taken for it. The slot is released when the task stops or cannot be started. */
export async function launchTask(
  { options, tasks, slots, vcpus }: EcsContext,
  slot: number,
  request: TaskRequest,
  environments: ContainerEnvironments,
  arn = taskArn(clusterArn(options, request.cluster), randomUUID().replaceAll('-', '')),
): Promise<Task> {
  const { taskDefinitions, entryFolder, slotEnvironment, log, chaos } = options;
  const folder = join(options.folder, String(slot));
  const definition = findTaskDefinition(taskDefinitions, request.taskDefinition);
  const releaseVcpus = vcpus.take(request.isSpot === true, definition.vcpus);
  const release = (): void => {
    slots.release(slot);
    releaseVcpus();
  };
  try {
    await saveTaskRequest(folder, request, arn);
    const task = await startTask({
      arn,
      startDelayMs: startDelayOf(chaos),
      definition,
      entryFolder,
      folder,
      environments,
      slotEnvironment: slotEnvironment(slot),
      onLogLine: log,
      async onStopped(stopped) {
        release();
        await tasks.stop(stopped);
      },
    });
    tasks.add(task);
    const interruptedAfterMs = request.isSpot ? interruptionOf(chaos) : undefined;
    if (interruptedAfterMs !== undefined) {
      setTimeout(() => void task.stop({ code: 'SpotInterruption' }), interruptedAfterMs).unref();
    }
    return task;
  } catch (error) {
    release();
    throw error;
  }
}

/** Starts the tasks again that were killed together with the previous process, each in its slot. */
export async function relaunchInterruptedTasks(context: EcsContext): Promise<void> {
  for (const [slot, { request, arn }] of await takeInterruptedRequests(context.options.folder)) {
    const environments = environmentsIfStillValid(context, request);
    if (environments && context.slots.takeSlot(slot)) await launchTask(context, slot, request, environments, arn);
  }
}

/** Undefined if the template has changed since and no longer allows the request. */
function environmentsIfStillValid({ options }: EcsContext, request: TaskRequest): ContainerEnvironments | undefined {
  try {
    const definition = findTaskDefinition(options.taskDefinitions, request.taskDefinition);
    return containerEnvironments(request, definition, options.parameter);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
