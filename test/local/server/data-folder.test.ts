import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeWhole } from 'embedded-aws';
import { expect, onTestFinished, test } from 'vitest';
import { prepareDataFolder } from '../../../local/server/data-folder.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'data-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a folder of a service that others can read becomes private with all that is in it', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 's3/blobs'), { recursive: true });
  await writeFile(join(folder, 's3/blobs/video'), 'x');
  await writeFile(join(folder, 'credentials.json'), '{}');
  const paths = ['.', 's3', 's3/blobs', 's3/blobs/video', 'credentials.json'].map((path) => join(folder, path));
  for (const path of paths) await chmod(path, 0o755);
  await prepareDataFolder(folder);
  for (const path of paths) expect((await stat(path)).mode & 0o077, path).toBe(0);
});

test('an existing empty folder becomes private, also the root of a new file system', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'lost+found'));
  await chmod(folder, 0o755);
  await prepareDataFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('a folder with files of other programs is refused and not changed', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'thesis.txt'), '');
  await chmod(folder, 0o755);
  await expect(prepareDataFolder(folder)).rejects.toThrow(
    `The data folder ${folder} has files of other programs (thesis.txt): set DATA_DIR to a new or empty folder.`,
  );
  expect([await readdir(folder), (await stat(folder)).mode & 0o777]).toEqual([['thesis.txt'], 0o755]);
});

test('a file in place of the folder has its own message', async () => {
  const file = join(await temporaryFolder(), 'data');
  await writeFile(file, '');
  await expect(prepareDataFolder(file)).rejects.toThrow(
    `DATA_DIR ${file} is no folder: set it to a folder, or to a new name.`,
  );
});

test('a folder of a newer version is refused and not changed, and one of an older version gets the number of its format', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'dynamodb'));
  await prepareDataFolder(folder);
  expect(await readFile(join(folder, 'data-format'), 'utf8')).toBe('1');
  await writeWhole(join(folder, 'data-format'), '2');
  await chmod(folder, 0o755);
  await expect(prepareDataFolder(folder)).rejects.toThrow(
    `The data folder ${folder} is of a newer version of the service (format 2, this version has 1): ` +
      'start that version, or restore a backup of this one into another folder.',
  );
  expect([await readFile(join(folder, 'data-format'), 'utf8'), (await stat(folder)).mode & 0o777]).toEqual([
    '2',
    0o755,
  ]);
});
