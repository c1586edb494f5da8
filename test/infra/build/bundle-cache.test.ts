import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBundleCache } from '../../../infra/build/bundle-cache.ts';

let root: string;
const file = (path: string) => join(root, path);
const cacheFolder = () => file('cache');

async function write(path: string, content: string) {
  await mkdir(dirname(file(path)), { recursive: true });
  await writeFile(file(path), content);
  const before = new Date(Date.now() - 60_000);
  await utimes(file(path), before, before);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'bundle-cache-'));
  for (const name of ['package-lock.json', 'package.json', 'tsconfig.json', 'infra/build/bundle.ts']) {
    await write(name, '1');
  }
  for (const name of ['functions/a.ts', 'functions/scripts/check.sh', 'shared/b.ts', 'shared/other.ts']) {
    await write(name, '1');
  }
  await write('bundle.cjs', 'the bundle of a');
  const cache = await openBundleCache(cacheFolder(), root);
  await cache.keep('functions/a.ts', file('bundle.cjs'), ['functions/a.ts', 'shared/b.ts']);
});
afterEach(() => rm(root, { recursive: true }));

const restore = async () => {
  const cache = await openBundleCache(cacheFolder(), root);
  return cache.restore('functions/a.ts', file('out/index.cjs'));
};

test('a bundle of unchanged files is restored', async () => {
  expect(await restore()).toBe(true);
  expect(await readFile(file('out/index.cjs'), 'utf8')).toBe('the bundle of a');
});

test.each([
  ['functions/a.ts', false],
  ['shared/b.ts', false],
  ['shared/other.ts', true],
  ['functions/scripts/check.sh', false],
  ['infra/build/bundle.ts', false],
  ['package-lock.json', false],
])('after a change of %s a bundle of functions/a.ts and shared/b.ts is restored: %s', async (path, restored) => {
  await write(path, '2');
  expect(await restore()).toBe(restored);
});

test('a bundle whose input was deleted, and one whose code is missing, are not restored', async () => {
  await rm(file('shared/b.ts'));
  expect(await restore()).toBe(false);
  await write('shared/b.ts', '1');
  await rm(cacheFolder(), { recursive: true });
  expect(await restore()).toBe(false);
});

test('a bundle whose input changes during the build is not kept', async () => {
  const cache = await openBundleCache(cacheFolder(), root);
  await write('functions/a.ts', '2');
  await utimes(file('functions/a.ts'), new Date(), new Date(Date.now() + 1000));
  await cache.keep('functions/a.ts', file('bundle.cjs'), ['functions/a.ts', 'shared/b.ts']);
  expect(await restore()).toBe(false);
});
