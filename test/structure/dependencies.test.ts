import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knotsOf } from './cycles.ts';
import { importsOf, labModules, modules, reachableFrom, topFolders, valuesOf, within } from './modules.ts';

const inputOutput =
  /^(@aws-sdk\/|@aws-lambda-powertools\/|node:(fs|net|http|https|child_process|worker_threads|dgram|tls)\b)/;

/** Which top folders a top folder may import. `client/generate.ts` reads the contracts as well. */
const mayImport: Record<(typeof topFolders)[number], readonly string[]> = {
  client: [],
  'embedded-aws': [],
  shared: [],
  delivery: ['shared'],
  dashboard: ['client', 'shared'],
  'encoder-task': ['delivery', 'shared'],
  functions: ['delivery', 'shared'],
  infra: ['delivery', 'shared'],
  local: ['client', 'embedded-aws', 'infra', 'shared'],
  tools: ['client', 'embedded-aws', 'infra', 'local', 'shared'],
};

const violations = (from: (path: string) => boolean, to: (name: string) => boolean): string[] =>
  modules.filter(from).flatMap((path) =>
    importsOf(path)
      .filter(to)
      .map((name) => `${path} imports ${name}`),
  );

describe('dependencies between top folders have one direction', () => {
  test('the modules and their imports are found', () => {
    expect(modules.length).toBeGreaterThan(100);
    expect(importsOf('functions/api/workers.lambda.ts')).toContain('shared/protocol/jobs.ts');
  });

  test.each(topFolders)('%s imports the folders that the table names', (folder) => {
    const others = [...topFolders, 'lab', 'test'].filter((other) => ![folder, ...mayImport[folder]].includes(other));
    const restricted = (path: string): boolean => within(folder)(path) && path !== 'client/generate.ts';
    expect(violations(restricted, within(...others))).toEqual([]);
  });

  test('whatever shared, delivery, the contracts, templates and planning reach does no input or output', () => {
    const pure = within(
      'shared',
      'delivery/urls',
      'delivery/nginx',
      'functions/contracts',
      'functions/templates',
      'functions/planning',
    );
    const impure = modules.filter(pure).flatMap((path) => {
      const found = [...reachableFrom([path], valuesOf)].find((name) => inputOutput.test(name));
      return found === undefined ? [] : [`${path} reaches ${found}`];
    });
    expect(impure).toEqual([]);
  });

  test('the encoder imports no AWS client: a worker has no rights', () => {
    expect(violations(within('encoder-task'), (name) => name.startsWith('@aws'))).toEqual([]);
  });

  test('the verifier of finished media does not use the MP4 parser of the worker, nor the worker that of the verifier', () => {
    expect(violations(within('encoder-task/verify'), within('encoder-task/isobmff'))).toEqual([]);
    const worker = [...reachableFrom(['encoder-task/main.ts'])];
    expect(worker.filter((name) => name === 'mp4box' || within('encoder-task/verify')(name))).toEqual([]);
  });

  test('the lab is found', () => {
    expect(labModules.length).toBeGreaterThan(100);
  });
});

test('the entry points of Lambda, and no other modules of functions, end in .lambda.ts', () => {
  const exportsHandler = (path: string): boolean =>
    /^export (const|(async )?function) handler\b/m.test(readFileSync(path, 'utf8'));
  const all = modules.filter(within('functions'));
  expect(all.filter((path) => path.endsWith('.lambda.ts')).length).toBeGreaterThan(40);
  expect(all.filter((path) => path.endsWith('.lambda.ts') !== exportsHandler(path))).toEqual([]);
});

test.each(['embedded-aws/src', 'local', 'functions/nodes', 'functions/delivery'])(
  'folders in %s import each other without cycles',
  (top) => {
    const inside = modules.filter(within(top));
    const folders = new Map(inside.map((path) => [dirname(path), new Set<string>()]));
    for (const path of inside) {
      for (const name of importsOf(path)) {
        const [from, to] = [dirname(path), dirname(name)];
        if (from !== to && folders.has(to)) folders.get(from)!.add(to);
      }
    }
    expect(knotsOf(folders)).toEqual([]);
  },
);

test('modules import each other without cycles, for types too', () => {
  const all = [...modules, ...labModules];
  expect(knotsOf(new Map(all.map((path) => [path, new Set(importsOf(path))])))).toEqual([]);
});
