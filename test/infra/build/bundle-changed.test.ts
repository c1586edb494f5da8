import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleFunctions } from '../../../infra/build/bundle.ts';
import { bundleChanged } from '../../../infra/build/bundle-changed.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundle-changed-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('only changed functions are bundled, and the bundles are the same as without a cache', async () => {
  const names = ['pipeline/fail', 'pipeline/publish'];
  const [cache, entries] = [join(folder, 'cache'), names.map((name) => `functions/${name}.lambda.ts`)];
  const code = (run: string, name: string) => readFile(join(folder, run, 'functions', name, 'index.cjs'), 'utf8');
  expect(await bundleChanged(join(folder, '1'), cache, names)).toEqual([...entries, 'encoder-task/main.ts']);
  expect(await bundleChanged(join(folder, '2'), cache, names)).toEqual([]);
  await rm(join(cache, `${entries[1]!.replaceAll('/', '.')}.json`));
  expect(await bundleChanged(join(folder, '3'), cache, names)).toEqual([entries[1]]);
  await bundleFunctions(join(folder, 'without'), names);
  for (const name of names) {
    const expected = await code('without', name);
    for (const run of ['1', '2', '3']) expect(await code(run, name)).toBe(expected);
  }
});
