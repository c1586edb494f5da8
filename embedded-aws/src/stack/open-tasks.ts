import { join } from 'node:path';
import { openEcs } from '../ecs/ecs-server.ts';
import { readTaskDefinitions } from '../template/read-task-definitions.ts';
import { accountId, region } from '../template/resource-identity.ts';
import type { StackContext } from './stack-context.ts';

/** Tasks that were running when the process was killed are started again. */
export async function openTasks(
  { options, template, shutdown }: StackContext,
  parameter: (name: string) => string | undefined,
) {
  const ecs = await openEcs({
    taskDefinitions: readTaskDefinitions(template),
    entryFolder: options.templateFolder,
    folder: join(options.dataFolder, 'tasks'),
    region,
    accountId,
    maxTasks: options.maxTasks,
    parameter,
    slotEnvironment: options.taskEnvironment,
    log: options.writeLine,
    chaos: options.chaos?.ecs,
    limits: options.chaos?.account,
  });
  shutdown.onClose(ecs.close);
  return ecs;
}
