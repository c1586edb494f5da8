import { lstat, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { disposeFile } from '../../../../client/cli/watch/dispose-file.ts';
import type { WatchEntry } from '../../../../client/cli/watch/watch-state.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

async function prepare() {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'sub'));
  const path = join(folder, 'sub/a.mp4');
  await writeFile(path, 'video');
  const { size, mtimeMs, ino } = await lstat(path);
  const entry: WatchEntry = { sizeBytes: size, mtimeMs, ino, status: 'uploaded', ulid: 'V', at: '' };
  const done = temporaryFolder();
  return { folder, path, entry, done, move: { kind: 'move', folder: done } as const };
}

test('a file is moved, under another name when its own is taken', async () => {
  const { path, entry, done, move } = await prepare();
  await writeFile(join(done, 'a.mp4'), 'another');
  expect(await disposeFile(path, entry, move)).toBe(`moved to ${join(done, 'a (2).mp4')}`);
  expect(await readFile(join(done, 'a (2).mp4'), 'utf8')).toBe('video');
  expect(await readFile(join(done, 'a.mp4'), 'utf8')).toBe('another');
  await expect(lstat(path)).rejects.toThrow('ENOENT');
});

test('a file is deleted', async () => {
  const { path, entry } = await prepare();
  expect(await disposeFile(path, entry, { kind: 'delete' })).toBe('deleted');
  await expect(lstat(path)).rejects.toThrow('ENOENT');
});

test('a file that took the place of the uploaded one is left alone', async () => {
  const { folder, path, entry, done, move } = await prepare();
  await rename(path, `${path}.old`);
  await writeFile(path, 'other');
  expect(await disposeFile(path, entry, { kind: 'delete' })).toContain('left alone');
  // the right file, but in a folder that a link leads to
  await rename(`${path}.old`, path);
  await rename(join(folder, 'sub'), join(folder, 'elsewhere'));
  await symlink(join(folder, 'elsewhere'), join(folder, 'sub'));
  expect(await disposeFile(path, entry, move)).toContain('left alone');
  expect(await readFile(path, 'utf8')).toBe('video');
  expect(await readdir(done)).toEqual([]);
});
