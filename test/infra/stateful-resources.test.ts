import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stages } from '../../infra/settings.ts';
import { statefulResources } from './stateful-resources.ts';

const known: Record<string, unknown> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'stateful-resources.json'), 'utf8'),
);

const whatToDo = `A resource that holds data has another logical id, key, index or name than in test/infra/stateful-resources.json, so a deployment would make \
an empty one in its place. If that is meant, say in CHANGELOG.md how the data moves ("Restore" in docs/recovery.md), then run \
node test/infra/update-stateful-resources.ts and commit the file.`;

test.each(stages)('a deployment of %s replaces no resource that holds data', (stage) => {
  expect(statefulResources(stage), whatToDo).toEqual(known[stage]);
});

test('a changed table key and a changed secret name are detected', () => {
  const changed = structuredClone(statefulResources('prod')) as {
    resources: Record<string, { KeySchema?: unknown[] }>;
    secrets: string[];
  };
  const table = Object.values(changed.resources).find(({ KeySchema }) => KeySchema)!;
  table.KeySchema = table.KeySchema!.slice(0, 1);
  expect(changed).not.toEqual(known.prod);
  expect(changed.secrets).toEqual(expect.arrayContaining(['video-service/prod/signing-keys']));
});
