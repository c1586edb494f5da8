import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findFreePorts } from '../fixtures/servers/find-free-ports.ts';
import { readOperator } from '../fixtures/servers/read-operator.ts';
import { createClient, signUp } from './support/client.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { type Service, startService } from './support/service.ts';
import { slowChunks, streamsOf } from './support/templates.ts';

const clip = inject('clip');
const root = join(import.meta.dirname, '../..');
let folder: string;
let dataFolder: string;
const services: Service[] = [];

async function start(options: { dataFolder: string; port?: number }): Promise<Service> {
  const service = await startService({ ...options, env: { WORKERS: '1' } });
  services.push(service);
  return service;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backed-up-'));
  dataFolder = join(folder, 'data');
});
afterAll(async () => {
  for (const service of services) {
    await service.stop();
    for (const line of service.errors) console.error(line);
  }
  await rm(folder, { recursive: true });
});

/** Runs `npm run backup` or `npm run restore` without npm, and kills it after some milliseconds if those are given. */
async function run(command: 'backup' | 'restore', backup: string, data: string, killAfterMs?: number) {
  const program = join(
    root,
    killAfterMs === undefined ? `infra/local/backup/run.mjs` : `infra/local/backup/${command}.ts`,
  );
  const args = killAfterMs === undefined ? [program, command, backup] : [program, backup];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, DATA_DIR: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  if (killAfterMs !== undefined) await sleep(killAfterMs).then(() => child.kill('SIGKILL'));
  const [printed, errors] = await output;
  return { status: await status, printed, errors };
}

async function parametersOf(data: string): Promise<Record<string, string>> {
  const { region, controlUrl: endpoint, credentials } = await readOperator(data);
  const client = new SSMClient({ endpoint, region, credentials });
  const query = { Path: '/video-service', Recursive: true, WithDecryption: true };
  const { Parameters = [] } = await client.send(new GetParametersByPathCommand(query));
  client.destroy();
  return Object.fromEntries(Parameters.map(({ Name = '', Value = '' }) => [Name, Value]));
}

test('a backup of a running service is restored with its users, and the video that was under way is completed', async () => {
  const service = await start({ dataFolder });
  const client = await signUp(service.apiUrl);
  const [quick, slow] = await Promise.all(
    [{ ...slowChunks, ...streamsOf([360]) }, slowChunks].map(client.makeTemplate),
  );
  const done = await client.upload({ file: clip.file, template: quick!, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(done);
  const underWay = await client.upload({ file: clip.file, template: slow!, partBytes: 16 * 2 ** 20 });
  await client.waitFor(underWay, ({ outputs }) => outputs.some(({ progress }) => progress >= 30));

  // Killed in the start of Node, and at a random moment after it.
  for (const afterMs of [100, 300 + Math.random() * 700]) {
    const killed = join(folder, `killed-${afterMs}`);
    await run('backup', killed, dataFolder, afterMs);
    await expect.poll(() => existsSync(join(dataFolder, 'backup-cut'))).toBe(false);
  }
  const backup = join(folder, 'backup');
  const { status, printed, errors } = await run('backup', backup, dataFolder);
  expect({ status, errors }).toEqual({ status: 0, errors: '' });
  expect(printed).toMatch(/The service paused for \d+ ms/);
  const parameters = await parametersOf(dataFolder);
  const finished = await client.getVideo(done);
  expect((await client.getVideo(underWay)).status).toBe('running');
  // The restored service must not depend on anything of this one.
  await service.stop();

  const restored = join(folder, 'restored');
  expect(await run('restore', backup, restored)).toMatchObject({ status: 0, errors: '' });
  const second = await start({ dataFolder: restored, port: await findFreePorts() });
  const again = createClient(second.apiUrl, client.token);
  expect(await again.getVideo(done)).toEqual(finished);
  expect(await parametersOf(restored)).toEqual(parameters);
  expect(await again.waitUntilDone(underWay)).toMatchObject({ status: 'completed', outputs: [{ progress: 100 }] });
  for (const ulid of [done, underWay]) {
    const { hls } = await again.sources(ulid);
    expect(await playbackErrors(hls!)).toEqual([]);
    expect((await frames(hls!, 360)).map(({ number }) => number)).toEqual(
      Array.from({ length: clip.frames }, (_, number) => number),
    );
  }
});
