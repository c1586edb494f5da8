import { z } from 'zod';
import { ServiceError } from '../control/json-protocol.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { TaskRequest } from './interrupted-tasks.ts';
import { clusterNameOf } from './task-definitions.ts';

const maxTasksPerCall = 10;

/** Variables that the dynamic linker, the shell or Node read. A caller may not set them, even if they are declared. */
const reservedVariables =
  /^(PATH|HOME|IFS|ENV|SHELLOPTS|BASH_.*|NODE|NODE_.*|LD_.*|DYLD_.*|GLIBC_TUNABLES|OPENSSL_.*)$/i;

const override = z.strictObject({
  name: z.string(),
  environment: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
});
const input = z.object({
  cluster: z.string().default('default'),
  taskDefinition: z.string(),
  count: z.int().min(1).max(maxTasksPerCall).default(1),
  capacityProviderStrategy: z
    .array(z.object({ capacityProvider: z.string(), weight: z.int().min(0).default(0) }))
    .default([]),
  overrides: z.strictObject({ containerOverrides: z.array(override).default([]) }).prefault({}),
});

/** @throws Refused for input that the embedded ECS does not support */
export function readRunTaskInput(given: object): { request: TaskRequest; count: number } {
  const parsed = input.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new ServiceError(
      'InvalidParameterException',
      `Invalid or unsupported input of RunTask: ${problems.join('; ')}.`,
    );
  }
  const { cluster, taskDefinition, count, overrides, capacityProviderStrategy } = parsed.data;
  const { containerOverrides } = overrides;
  const isSpot = capacityProviderStrategy[0]?.capacityProvider === 'FARGATE_SPOT';
  return { request: { cluster: clusterNameOf(cluster), taskDefinition, isSpot, containerOverrides }, count };
}

/**
 * A caller may override variables that the task definition declares, and add none: a variable such as NODE_OPTIONS
 * would let it run any code.
 * @throws Refused
 */
export function requireDeclaredVariables({ containerOverrides }: TaskRequest, { containers }: TaskDefinition): void {
  for (const { name, environment = [] } of containerOverrides) {
    const container = containers.find((one) => one.name === name);
    if (!container) {
      const message = `Override for container named ${name} is not a container in the TaskDefinition.`;
      throw new ServiceError('InvalidParameterException', message);
    }
    const refused = environment
      .map((variable) => variable.name)
      .filter((variable) => !Object.hasOwn(container.environment, variable) || reservedVariables.test(variable));
    if (refused.length > 0) {
      const message = `The container ${name} does not allow overrides of these variables: ${refused.join(', ')}.`;
      throw new ServiceError('InvalidParameterException', message);
    }
  }
}
