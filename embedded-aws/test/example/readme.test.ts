import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { templateHints } from '../../index.ts';
import { writeAssembly } from './write-assembly.ts';

const top = join(import.meta.dirname, '../..');
const readme = await readFile(join(top, 'README.md'), 'utf8');

test.each(['the sources', 'the published package'])(
  'the example of README.md runs with %s, and the function has counted the words of the object',
  async (form) => {
    const [, example] = /```ts\n(.*?)```/s.exec(readme)!;
    // Where programs find the packages of the repository.
    const cache = join(top, '../node_modules/.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(join(cache, 'embedded-aws-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeAssembly(join(folder, 'cdk.out'));
    await writeFile(join(folder, 'example.mjs'), example!);
    const installed = join(folder, 'node_modules/embedded-aws');
    await mkdir(join(folder, 'node_modules'));
    if (form === 'the sources') await symlink(top, installed);
    else await promisify(execFile)(process.execPath, [join(top, 'build.mjs'), installed]);
    const { stdout } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder });
    expect(stdout).toBe("{ key: { S: 'a.txt' }, words: { N: '2' } }\n");
  },
);

test('README.md describes every hint of a template', () => {
  const described = [...readme.matchAll(/^\| `(AWS::[\w:]+)` \| `(embedded-aws:[\w-]+)` \|/gm)];
  const listed = Object.entries(templateHints).flatMap(([type, names]) => names.map((name) => `${type} ${name}`));
  expect(described.map(([, type, name]) => `${type} ${name}`).toSorted()).toEqual(listed.toSorted());
});
