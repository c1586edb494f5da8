import { z } from 'zod';
import { Refused } from '../control/json-protocol.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { TaskOrder } from './interrupted-tasks.ts';

const mostTasksPerCall = 10;

/** What the loader, the shell and Node themselves read: no declaration makes these safe to take from a caller. */
const readByPrograms = /^(PATH|HOME|IFS|ENV|SHELLOPTS|BASH_.*|NODE|NODE_.*|LD_.*|DYLD_.*|GLIBC_TUNABLES|OPENSSL_.*)$/i;

const override = z.strictObject({
  name: z.string(),
  environment: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
});
const input = z.object({
  cluster: z.string().default('default'),
  taskDefinition: z.string(),
  count: z.int().min(1).max(mostTasksPerCall).default(1),
  overrides: z.strictObject({ containerOverrides: z.array(override).default([]) }).prefault({}),
});

/** The order of a RunTask call and how many tasks it wants. @throws Refused for what is not known here */
export function readRunTask(given: object): { order: TaskOrder; count: number } {
  const parsed = input.safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
    throw new Refused('InvalidParameterException', `RunTask does not take this input here: ${faults.join('; ')}.`);
  }
  const { cluster, taskDefinition, count, overrides } = parsed.data;
  return { order: { cluster, taskDefinition, containerOverrides: overrides.containerOverrides }, count };
}

/**
 * A caller may give other values to the variables that the definition declares, and add none: a variable such as NODE_OPTIONS would run any code.
 * @throws Refused
 */
export function requireDeclared({ containerOverrides }: TaskOrder, { containers }: TaskDefinition): void {
  for (const { name, environment = [] } of containerOverrides) {
    const container = containers.find((one) => one.name === name);
    if (!container) {
      const message = `Override for container named ${name} is not a container in the TaskDefinition.`;
      throw new Refused('InvalidParameterException', message);
    }
    const refused = environment
      .map((variable) => variable.name)
      .filter((variable) => !Object.hasOwn(container.environment, variable) || readByPrograms.test(variable));
    if (refused.length > 0) {
      const message = `The task definition declares no variable of the container ${name} that may be overridden by this name: ${refused.join(', ')}.`;
      throw new Refused('InvalidParameterException', message);
    }
  }
}
