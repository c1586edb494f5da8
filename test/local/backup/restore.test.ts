import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from 'embedded-aws';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { restoreBackup } from '../../../local/backup/restore-backup.ts';
import { writeBackup } from '../../../local/backup/write-backup.ts';
import { expectedContents, makeDataFolder, readContents } from './sample-data-folder.ts';

let sample: string;
let folder: string;
let backup: string;
let target: string;

beforeAll(async () => {
  sample = await mkdtemp(join(tmpdir(), 'restore-'));
  await (await makeDataFolder(join(sample, 'data'))).close();
  await writeBackup(join(sample, 'data'), join(sample, 'backup'));
});
afterAll(() => rm(sample, { recursive: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'));
  [backup, target] = [join(folder, 'backup'), join(folder, 'data')];
  await cp(join(sample, 'backup'), backup, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

const changeManifest = async (change: (manifest: { format: number; files: { path: string }[] }) => void) => {
  const file = join(backup, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8'));
  change(manifest);
  await writeFile(file, JSON.stringify(manifest));
};

test.each<[string, () => Promise<unknown>, string]>([
  ['no manifest', () => rm(join(backup, 'manifest.json')), 'is no complete backup: it has no manifest.json'],
  ['a damaged manifest', () => writeFile(join(backup, 'manifest.json'), '{"format":1'), 'is damaged'],
  ['a newer format', () => changeManifest((one) => Object.assign(one, { format: 2 })), 'The backup has format 2'],
  ['a missing file', () => rm(join(backup, 'rules.json')), 'rules.json is missing'],
  ['a longer file', () => writeFile(join(backup, 'rules.json'), '{"reap": false}'), 'has 15 bytes instead of 14'],
  ['other bytes', () => writeFile(join(backup, 'rules.json'), '{"reap":0alse}'), 'rules.json has another checksum'],
  [
    'a path out of the folder',
    () => changeManifest(({ files }) => Object.assign(files[0]!, { path: '../../etc/passwd' })),
    'manifest.json is damaged',
  ],
])('a backup with %s is refused and nothing is made', async (_, damage, message) => {
  await damage();
  await expect(restoreBackup(backup, target)).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual(['backup']);
});

test('a data folder with something in it stays as it is', async () => {
  await mkdir(target);
  await writeFile(join(target, 'file'), 'mine');
  await expect(restoreBackup(backup, target)).rejects.toThrow(`The data folder ${target} is not empty`);
  await expect(restoreBackup(backup, join(target, 'file'))).rejects.toThrow('is not empty');
  expect(await readdir(target)).toEqual(['file']);
});

test('an empty data folder is filled', async () => {
  await mkdir(target);
  await restoreBackup(backup, target);
  expect(await readContents(target)).toEqual(expectedContents());
  expect((await readdir(folder)).toSorted()).toEqual(['backup', 'data']);
});

test('what an interrupted restore left is replaced; one that is under way is not disturbed', async () => {
  const work = `${target}.restoring`;
  await mkdir(join(work, 'data/s3'), { recursive: true });
  await writeFile(join(work, 'data/s3/half'), 'half');
  const lock = await lockFolder(join(work, 'lock'));
  await expect(restoreBackup(backup, target)).rejects.toThrow('Another restore into this data folder is under way');
  await lock!.close();
  await restoreBackup(backup, target);
  expect(await readContents(target)).toEqual(expectedContents());
  expect((await readdir(folder)).toSorted()).toEqual(['backup', 'data']);
});
