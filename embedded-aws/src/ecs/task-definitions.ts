import { ServiceError } from '../control/json-protocol.ts';
import type { TaskDefinition } from '../template/read-task-definitions.ts';

/** Finds a task definition by its ARN, by family and revision, or by family. @throws Refused */
export function findTaskDefinition(definitions: readonly TaskDefinition[], name: string): TaskDefinition {
  const definition = definitions.find(({ arn }) => arn === name || arn.endsWith(`/${name}`) || familyOf(arn) === name);
  if (!definition) throw new ServiceError('ClientException', 'TaskDefinition not found.');
  return definition;
}

export const familyOf = (definitionArn: string): string => definitionArn.split('/')[1]!.split(':')[0]!;

export const clusterNameOf = (nameOrArn: unknown): string =>
  String(nameOrArn ?? 'default')
    .split('/')
    .at(-1)!;

export const clusterArn = ({ region, accountId }: { region: string; accountId: string }, cluster: string): string =>
  `arn:aws:ecs:${region}:${accountId}:cluster/${cluster}`;

/** The ARN of a task in a cluster. ECS accepts it, or the id alone. */
export const taskArn = (cluster: string, idOrArn: string): string =>
  idOrArn.startsWith('arn:') ? idOrArn : `${cluster.replace(/:cluster\//, ':task/')}/${idOrArn}`;
