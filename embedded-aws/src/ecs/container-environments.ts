import { ServiceError } from '../control/json-protocol.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';
import type { TaskRequest } from './interrupted-tasks.ts';
import { requireDeclaredVariables } from './run-task-input.ts';

/** Variables by container. */
export type ContainerEnvironments = Record<string, Record<string, string>>;

/**
 * The variables that a request adds to the environments of the task definition: secrets and overrides.
 * @throws Refused
 */
export function containerEnvironments(
  request: TaskRequest,
  definition: TaskDefinition,
  parameter: (name: string) => string | undefined,
): ContainerEnvironments {
  requireDeclaredVariables(request, definition);
  const entries = definition.containers.map(({ name, secrets }) => {
    const override = request.containerOverrides.find((one) => one.name === name);
    const environment: Record<string, string> = {};
    for (const [variable, parameterName] of Object.entries(secrets)) {
      environment[variable] = requireParameter(parameterName, parameter);
    }
    for (const variable of override?.environment ?? []) environment[variable.name] = variable.value;
    return [name, environment] as const;
  });
  return Object.fromEntries(entries);
}

function requireParameter(name: string, parameter: (name: string) => string | undefined): string {
  const value = parameter(name);
  if (value === undefined) throw new ServiceError('ClientException', `The parameter ${name} does not exist.`);
  return value;
}
