import { stages } from '../../infra/settings.ts';
import { statefulTypes } from '../../tools/stateful-types.ts';
import { templateOf } from './synthesised.ts';

type Templated = { Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }> };

/** What a deployment must not replace silently: resources by logical id, indexes with their keys, names of secrets. */
export function statefulResources(stage: string): Record<string, unknown> {
  const { Resources } = templateOf(stage).toJSON() as Templated;
  const held = Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const names = statefulTypes[Type];
    return names ? [[id, { Type, ...Object.fromEntries(names.map((name) => [name, Properties[name]])) }] as const] : [];
  });
  const indexes = Object.values(Resources).flatMap(({ Properties }) =>
    ((Properties?.GlobalSecondaryIndexes ?? []) as { IndexName: string; KeySchema: { AttributeName: string }[] }[]).map(
      ({ IndexName, KeySchema }) => `${IndexName}: ${KeySchema.map(({ AttributeName }) => AttributeName).join(', ')}`,
    ),
  );
  const secrets = JSON.stringify(Resources).matchAll(/:parameter\/(video-service\/[\w/-]+\*?)/g);
  return JSON.parse(
    JSON.stringify({
      resources: Object.fromEntries(held),
      indexes,
      secrets: [...new Set([...secrets].map(([, name]) => name))].toSorted(),
    }),
  );
}

export const statefulOfAll = (): Record<string, unknown> =>
  Object.fromEntries(stages.map((stage) => [stage, statefulResources(stage)]));
