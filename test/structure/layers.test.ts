import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { importsOf, modules, within } from './modules.ts';

/** The folders of each layer, from the table of docs/layers.md, the top layer first. */
const layers = readFileSync('docs/layers.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line) => [...line.split('|')[3]!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!));

const forAll = ['common', 'contracts'];

/** 0 is the top layer, which all handlers belong to. What every layer may import is below all of them. */
function layerOf(path: string): number {
  if (path.endsWith('.lambda.ts')) return 0;
  const folder = path.split('/')[1]!;
  return forAll.includes(folder) ? layers.length : layers.findIndex((folders) => folders.includes(folder));
}

test('every folder of functions belongs to one of the five layers', () => {
  expect(layers.length).toBe(5);
  const folders = globSync('functions/*/').map((path) => path.replaceAll('\\', '/').split('/')[1]!);
  expect([...layers.flat(), ...forAll].toSorted()).toEqual(folders.toSorted());
});

test('no folder of functions imports one of a layer above', () => {
  const upward = modules.filter(within('functions')).flatMap((path) =>
    importsOf(path)
      .filter((target) => within('functions')(target) && layerOf(target) < layerOf(path))
      .map((target) => `${path} imports ${target}`),
  );
  // The declarations of routes validate requests with the schemas of templates.
  expect(upward.filter((line) => !/^functions\/contracts\/\S+ imports functions\/templates\//.test(line))).toEqual([]);
});
