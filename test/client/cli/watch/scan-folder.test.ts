import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scanFolder } from '../../../../client/cli/watch/scan-folder.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

const options = { recursive: true, extensions: ['mp4'], excluded: undefined };

test('regular files are found; links, empty files and other names are not', async () => {
  const root = temporaryFolder();
  const outside = temporaryFolder();
  await writeFile(join(outside, 'secret.mp4'), 'x');
  await mkdir(join(root, 'sub/.hidden'), { recursive: true });
  for (const name of ['a.mp4', 'sub/b.mp4', 'sub/.hidden/c.mp4', 'd.txt']) await writeFile(join(root, name), 'x');
  await writeFile(join(root, 'empty.mp4'), '');
  await symlink(join(outside, 'secret.mp4'), join(root, 'link.mp4'));
  await symlink(outside, join(root, 'folder'));
  await mkdir(join(root, 'folder.mp4'));
  const names = async (changes: object) => (await scanFolder(root, { ...options, ...changes })).map(({ name }) => name);
  expect((await names({})).toSorted()).toEqual(['a.mp4', 'sub/b.mp4']);
  expect(await names({ recursive: false })).toEqual(['a.mp4']);
  expect(await names({ excluded: join(root, 'sub') })).toEqual(['a.mp4']);
});

test('a folder that is gone is an error', async () => {
  const root = temporaryFolder();
  await rm(root, { recursive: true });
  await expect(scanFolder(root, options)).rejects.toThrow('ENOENT');
});
