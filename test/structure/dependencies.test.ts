import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { knotsOf } from './cycles.ts';
import { importsOf, labModules, modules, reachableFrom, topFolders, within } from './modules.ts';

const inputOutput =
  /^(@aws-sdk\/|@aws-lambda-powertools\/|node:(fs|net|http|https|child_process|worker_threads|dgram|tls)\b)/;

const isModule = new Set(modules);

const violations = (from: (path: string) => boolean, to: (name: string) => boolean): string[] =>
  modules.filter(from).flatMap((path) =>
    importsOf(path)
      .filter(to)
      .map((name) => `${path} imports ${name}`),
  );

describe('dependencies between top folders have one direction', () => {
  test('the modules and their imports are found', () => {
    expect(modules.length).toBeGreaterThan(100);
    expect(importsOf('functions/api/workers.ts')).toContain('shared/protocol/jobs.ts');
  });

  test('shared imports no other top folder', () => {
    expect(violations(within('shared'), within('functions', 'encoder-task', 'infra'))).toEqual([]);
  });

  test('shared, the contracts, templates and planning of media do no input or output', () => {
    const pure = within(
      'shared',
      'functions/contracts',
      'functions/templates',
      'functions/planning/audio',
      'functions/planning/video',
    );
    expect(violations(pure, (name) => inputOutput.test(name) || name.startsWith('functions/aws/'))).toEqual([]);
  });

  test('functions and the encoder do not import each other or the infrastructure', () => {
    expect(violations(within('functions'), within('encoder-task', 'infra'))).toEqual([]);
    expect(violations(within('encoder-task'), within('functions', 'infra'))).toEqual([]);
  });

  test('the encoder imports no AWS client: a worker has no rights', () => {
    expect(violations(within('encoder-task'), (name) => name.startsWith('@aws'))).toEqual([]);
  });

  test('the verifier of finished media does not use the MP4 parser of the worker, nor the worker that of the verifier', () => {
    expect(violations(within('encoder-task/verify'), within('encoder-task/isobmff'))).toEqual([]);
    const worker = [...reachableFrom(['encoder-task/main.ts'])];
    expect(worker.filter((name) => name === 'mp4box' || within('encoder-task/verify')(name))).toEqual([]);
  });

  test('the embedded AWS imports only packages, Node and itself', () => {
    const embedded = within('infra/embedded-aws');
    expect(violations(embedded, (name) => name.includes('/') && isModule.has(name) && !embedded(name))).toEqual([]);
  });

  test('the client imports no other top folder; only the generator of its types reads the contracts', () => {
    const published = (path: string): boolean => within('client')(path) && path !== 'client/generate.ts';
    const others = topFolders.filter((folder) => folder !== 'client');
    expect(violations(published, within(...others))).toEqual([]);
  });

  test('the dashboard imports only the client, shared and packages, and only its build knows it', () => {
    const dashboard = within('dashboard');
    const others = topFolders.filter((folder) => !['dashboard', 'client', 'shared'].includes(folder));
    expect(violations(dashboard, within(...others))).toEqual([]);
    expect(violations((path) => !dashboard(path), dashboard)).toEqual([]);
  });

  test('no module of the product imports the lab or a test', () => {
    expect(labModules.length).toBeGreaterThan(10);
    expect(violations(() => true, within('lab', 'test'))).toEqual([]);
  });

  test('the infrastructure names handlers by path and imports none', () => {
    expect(violations(within('infra'), within('functions', 'encoder-task'))).toEqual([]);
  });
});

test.each(['infra/embedded-aws', 'infra/local', 'functions/nodes', 'functions/delivery'])(
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
