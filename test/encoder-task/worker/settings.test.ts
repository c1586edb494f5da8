import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../../encoder-task/worker/settings.ts';

const env = { SYNC_URL: 'http://127.0.0.1:3000/api/workers/sync', WORKER_TOKEN: '01J.abc_-9' };

test('the service address and the token are enough', () => {
  expect(readSettings({ ...env, WORKER_NAME: '' })).toMatchObject({
    syncUrl: env.SYNC_URL,
    token: env.WORKER_TOKEN,
    idleExitSeconds: 0,
    logLevel: 'info',
    workerName: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  });
});

test('what is set is taken', () => {
  expect(
    readSettings({
      ...env,
      WORKER_NAME: 'node-3',
      WORK_FOLDER: '/scratch',
      IDLE_EXIT_SECONDS: '60',
      LOG_LEVEL: 'debug',
    }),
  ).toMatchObject({ workerName: 'node-3', workFolder: '/scratch', idleExitSeconds: 60, logLevel: 'debug' });
});

test('the token may be in a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  const inFile = { SYNC_URL: env.SYNC_URL, WORKER_TOKEN_FILE: join(folder, 'token') };
  expect(() => readSettings(inFile)).toThrow('WORKER_TOKEN_FILE: cannot be read (ENOENT)');
  await writeFile(inFile.WORKER_TOKEN_FILE, `${env.WORKER_TOKEN}\n`);
  expect(readSettings(inFile).token).toBe(env.WORKER_TOKEN);
  await writeFile(inFile.WORKER_TOKEN_FILE, 'no-dot-secret');
  expect(() => readSettings(inFile)).toThrow(/^WORKER_TOKEN: must be "<node>.<secret>"$/);
  await rm(folder, { recursive: true });
});

test('every wrong variable is named, no value is shown', () => {
  const wrong = { SYNC_URL: 'ftp://host', WORKER_TOKEN: 'no-dot-secret', IDLE_EXIT_SECONDS: '-1', WORKER_NAME: 'a b' };
  expect(() => readSettings(wrong)).toThrow(/SYNC_URL.*WORKER_TOKEN.*WORKER_NAME.*IDLE_EXIT_SECONDS/);
  expect(() => readSettings(wrong)).not.toThrow(/no-dot-secret/);
});
