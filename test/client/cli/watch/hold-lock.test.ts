import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdLock } from '../../../../client/cli/watch/hold-lock.ts';
import { temporaryFolder } from '../../support/run-cli.ts';

const subject = '/videos/.open-video-service.json';

test('a lock is held by one process until it releases it', async () => {
  const folder = join(temporaryFolder(), 'locks');
  const release = await holdLock(folder, subject);
  await expect(holdLock(folder, subject)).rejects.toThrow(`Another process watches this folder: it uses ${subject}.`);
  await (await holdLock(folder, 'another folder'))();
  await release();
  await (await holdLock(folder, subject))();
});

test('a killed process leaves no lock', async () => {
  const folder = temporaryFolder();
  const module = join(import.meta.dirname, '../../../../client/cli/watch/hold-lock.ts');
  const program = `await (await import(${JSON.stringify(module)})).holdLock(${JSON.stringify(folder)}, ${JSON.stringify(subject)});
    console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await expect(holdLock(folder, subject)).rejects.toThrow('Another process');
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await holdLock(folder, subject))();
});
