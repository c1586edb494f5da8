import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stopServer } from 'embedded-aws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cutFolderOf } from '../../../local/snapshot/cut.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { type DataFolder, expectedContents, makeDataFolder, readContents } from './sample-data-folder.ts';
import { serveBackups } from './sample-service.ts';

const objects = 200;
let folder: string;
let data: DataFolder;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-backup-'));
  data = await makeDataFolder(join(folder, 'data'), objects);
  server = await serveBackups(data);
});
afterAll(async () => {
  await stopServer(server);
  await data.close();
  await rm(folder, { recursive: true });
});

function start(command: 'backup' | 'restore', backup: string, dataFolder: string): ChildProcess {
  const program = fileURLToPath(new URL(`../../../local/backup/${command}.ts`, import.meta.url));
  const env = { PATH: process.env.PATH, DATA_DIR: dataFolder };
  return spawn(process.execPath, [program, backup], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(...args: Parameters<typeof start>): Promise<{ status: number | null; errors: string }> {
  const child = start(...args);
  const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [errors] = await Promise.all([text(child.stderr!), text(child.stdout!)]);
  return { status: await status, errors };
}

/** Kills the command as soon as the folder has this many files, or the command has ended. */
async function killAt(child: ChildProcess, watched: string, files: number): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (child.exitCode === null && countFiles(watched) < files) await sleep(1);
  child.kill('SIGKILL');
  await ended;
}

const countFiles = (path: string): number =>
  existsSync(path)
    ? readdirSync(path, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
    : 0;

const random = (from: number, to: number) => from + Math.floor(Math.random() * (to - from));
/** When a backup has this many files. */
const killPoints: [when: string, files: number][] = [
  ['at the beginning', 0],
  ['at its second file', 2],
  ['while it writes the database', random(3, 20)],
  ['while it copies objects', random(21, objects)],
  ['while it copies other objects', random(21, objects)],
  ['while it computes checksums', objects + 10],
];
const sampledKillPoints = ['while it writes the database', 'while it copies objects'];

/** A command on a busy machine may have ended before it is killed. Then its result must be complete. */
async function requireNoneOrComplete(made: string, isThere: boolean, restored: string): Promise<void> {
  if (!isThere) return;
  if (made !== restored) expect(await run('restore', made, restored)).toEqual({ status: 0, errors: '' });
  expect(await readContents(restored)).toEqual(expectedContents(objects));
}

test.each(sampled(killPoints, sampledKillPoints))(
  'a backup that is killed %s is not valid, and the service is as before',
  async (_, files) => {
    const backup = join(folder, `killed-${randomUUID()}`);
    await killAt(start('backup', backup, data.path), backup, files);
    await requireNoneOrComplete(backup, existsSync(join(backup, 'manifest.json')), `${backup}-restored`);
    await expect.poll(() => existsSync(cutFolderOf(data.path))).toBe(false);
    expect(readdirSync(join(data.path, 's3/blobs'))).toHaveLength(objects);
    const hasFiles = countFiles(backup) > 0;
    const repeated = await run('backup', backup, data.path);
    expect(repeated).toEqual({
      status: hasFiles ? 1 : 0,
      errors: hasFiles ? expect.stringContaining('is not empty') : '',
    });
  },
);

const restorePoints: [when: string, files: number][] = [
  ['at its first file', 1],
  ['while it copies objects', random(2, objects)],
  ['while it copies other objects', random(2, objects)],
  ['while it checks them', objects + 5],
];

test.each(sampled(restorePoints, ['while it copies objects']))(
  'a restore that is killed %s leaves no data folder, and the next one succeeds',
  async (_, files) => {
    const backup = join(folder, `whole-${randomUUID()}`);
    expect(await run('backup', backup, data.path)).toEqual({ status: 0, errors: '' });
    const target = join(folder, `restored-${randomUUID()}`);
    await killAt(start('restore', backup, target), `${target}.restoring`, files);
    await requireNoneOrComplete(target, existsSync(target), target);
    if (existsSync(target)) return;
    expect(await run('restore', backup, target)).toEqual({ status: 0, errors: '' });
    expect(await readContents(target)).toEqual(expectedContents(objects));
    expect(existsSync(`${target}.restoring`)).toBe(false);
  },
);
