import { appendFileSync, existsSync, renameSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopServer } from 'embedded-aws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSnapshot } from '../../../local/backup/open-snapshot.ts';
import { restoreBackup } from '../../../local/backup/restore-backup.ts';
import { copySnapshot, writeBackup } from '../../../local/backup/write-backup.ts';
import { cutFolderOf } from '../../../local/snapshot/cut.ts';
import {
  type DataFolder,
  deleteObject,
  expectedContents,
  makeDataFolder,
  putObject,
  readContents,
} from './sample-data-folder.ts';
import { serveBackups } from './sample-service.ts';

let folder: string;
let data: DataFolder;
let server: Server | undefined;
let backup: string;
const restored = () => join(folder, 'restored');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  backup = join(folder, 'backup');
  data = await makeDataFolder(join(folder, 'data'));
});
afterEach(async () => {
  if (server) await stopServer(server);
  server = undefined;
  await data.close();
  await rm(folder, { recursive: true, force: true });
});

test('a data folder without a service is backed up and restored as it is', async () => {
  await data.close();
  const { files, pauseMs } = await writeBackup(data.path, backup);
  await restoreBackup(backup, restored());
  expect(await readContents(restored())).toEqual(expectedContents());
  expect(files).toBeGreaterThan(10);
  expect(pauseMs).toBe(0);
  expect(existsSync(cutFolderOf(data.path))).toBe(false);
});

test('a backup of a running service has nothing that changed after its beginning', async () => {
  server = await serveBackups(data);
  const snapshot = await openSnapshot(data.path);
  await data.database.put('item~table~later', { name: 'later' });
  await data.database.del('item~table~0');
  await deleteObject(data.store, 'object-0');
  await putObject(data.store, 'object-1', 'changed');
  await putObject(data.store, 'later', 'later');
  const executions = join(data.path, 'executions');
  appendFileSync(join(executions, 'running/run-1/execution.jsonl'), '{"type":"ExecutionSucceeded"}\n');
  appendFileSync(join(executions, 'finished.jsonl'), '{"id":"run-1"}\n');
  renameSync(join(executions, 'running/run-1'), join(executions, 'finished/run-1'));
  await copySnapshot(snapshot, data.path, backup);
  await snapshot.close();
  await restoreBackup(backup, restored());
  expect(await readContents(restored())).toEqual(expectedContents());
});

test('the files of removed objects are there until the backup has ended, and are removed then', async () => {
  server = await serveBackups(data);
  const snapshot = await openSnapshot(data.path);
  for (const key of ['object-0', 'object-1', 'object-2']) await deleteObject(data.store, key);
  expect(await readdir(join(data.path, 's3/blobs'))).toHaveLength(3);
  await snapshot.close();
  await expect.poll(() => readdir(join(data.path, 's3/blobs'))).toEqual([]);
  await expect.poll(() => existsSync(cutFolderOf(data.path))).toBe(false);
});

test('a backup is not complete when the service stops during it', async () => {
  server = await serveBackups(data);
  const snapshot = await openSnapshot(data.path);
  await stopServer(server);
  await expect(copySnapshot(snapshot, data.path, backup)).rejects.toThrow('The service stopped during the backup.');
  expect(existsSync(join(backup, 'manifest.json'))).toBe(false);
  await expect(restoreBackup(backup, restored())).rejects.toThrow('is no complete backup: it has no manifest.json');
});

test('a second backup at the same time is refused', async () => {
  server = await serveBackups(data);
  const snapshot = await openSnapshot(data.path);
  await expect(openSnapshot(data.path)).rejects.toThrow('(409): Another backup of this service is under way');
  await snapshot.close();
  await expect.poll(() => existsSync(cutFolderOf(data.path))).toBe(false);
  await expect.poll(() => openSnapshot(data.path).then(({ close }) => close())).toBeUndefined();
});

test('only a principal with the right may make one', async () => {
  server = await serveBackups(data, ({ action }) => action !== 'video-service-backup:CreateBackup');
  await expect(openSnapshot(data.path)).rejects.toThrow(
    'is not authorized to perform: video-service-backup:CreateBackup',
  );
});

test('the folder in use by a service that is starting, and one without data, are said to be so', async () => {
  await rm(join(data.path, 'aws-config'));
  await expect(openSnapshot(data.path)).rejects.toThrow('is in use by a service that is starting or stopping');
  await expect(openSnapshot(folder)).rejects.toThrow('is no data folder of a service');
});

test('files and folders of a backup and of what is restored from it are readable by their owner only', async () => {
  server = await serveBackups(data);
  const umask = process.umask(0o077);
  try {
    await writeBackup(data.path, backup);
    await restoreBackup(backup, restored());
  } finally {
    process.umask(umask);
  }
  for (const made of [backup, restored()]) {
    for (const name of ['.', ...(await readdir(made, { recursive: true }))]) {
      expect((await stat(join(made, name))).mode & 0o077, name).toBe(0);
    }
  }
});
