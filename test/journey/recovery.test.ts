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
import { type Client, createClient, signUp, type Video } from './support/client.ts';
import { createEncodeGates, type EncodeGate, type EncodeGates, encodeGate } from './support/encode-gate.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { processesOf } from './support/processes.ts';
import { type Service, startService, untilGone } from './support/service.ts';
import { gatedChunks } from './support/templates.ts';

const clip = inject('clip');
const root = join(import.meta.dirname, '../..');
const gatedBitrateBps = 801_000;
let folder: string;
let dataFolder: string;
let gates: EncodeGates;
let gate: EncodeGate;
const services: Service[] = [];
let client: Client;
let template: string;
/** The video that a killed service was encoding. */
let finished: string;

async function start(options: { dataFolder: string; port: number }): Promise<Service> {
  const service = await startService({ ...options, env: { WORKERS: '1', PATH: gates.path } });
  services.push(service);
  return service;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recovery-'));
  dataFolder = join(folder, 'data');
  gates = await createEncodeGates();
  gate = encodeGate(gates, gatedBitrateBps);
});
afterAll(async () => {
  for (const service of services) {
    await service.stop();
    for (const line of service.errors) console.error(line);
  }
  for (const one of [folder, gates.folder]) await rm(one, { recursive: true });
});

/** Uploads the clip and returns when the one worker has encoded a part of it and the next part waits. */
async function uploadAndEncodeHalf(): Promise<string> {
  await gate.close();
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await gate.allow(2);
  const isHalfDone = ({ outputs }: Video) => outputs.some(({ progress }) => progress >= 30);
  expect(await client.waitFor(ulid, isHalfDone)).toMatchObject({ status: 'running' });
  return ulid;
}

/** Each frame of the clip once. */
async function expectWhole(of: Client, ulid: string): Promise<string> {
  const hls = (await of.sources(ulid)).hls!;
  expect(await playbackErrors(hls)).toEqual([]);
  expect((await frames(hls, 360)).map(({ number }) => number)).toEqual(
    Array.from({ length: clip.frames }, (_, number) => number),
  );
  return hls;
}

test('a restarted service completes the video of a killed one without repeating finished encodes', async () => {
  const options = { dataFolder, port: await findFreePorts() };
  const killed = await start(options);
  client = await signUp(killed.apiUrl);
  template = await client.makeTemplate(gatedChunks(gatedBitrateBps));
  finished = await uploadAndEncodeHalf();

  const killedMs = Date.now();
  for (const { pid, command } of await processesOf(dataFolder)) {
    if (command.includes('local/main.ts')) process.kill(pid, 'SIGKILL');
  }
  // the encoders notice that their service is gone
  await untilGone(dataFolder);

  await gate.open();
  await start(options);
  expect(await client.waitUntilDone(finished)).toMatchObject({ status: 'completed', outputs: [{ progress: 100 }] });
  const hls = await expectWhole(client, finished);
  const written = await writtenMs(hls);
  const keptSegments = written.filter((ms) => ms <= killedMs);
  expect(keptSegments.length).toBeGreaterThan(0);
  expect(keptSegments.length).toBeLessThan(written.length);
});

/** The Last-Modified time of each segment of the first rendition. */
async function writtenMs(masterUrl: string): Promise<number[]> {
  const [playlist] = await uris(masterUrl);
  const segments = await uris(playlist!);
  return Promise.all(
    segments.map(async (url) => Date.parse((await fetch(url, { method: 'HEAD' })).headers.get('last-modified')!)),
  );
}

async function uris(playlistUrl: string): Promise<string[]> {
  const text = await (await fetch(playlistUrl)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => new URL(line, playlistUrl).href);
}

/** Runs `npm run backup` or `npm run restore` without npm, and kills it after some milliseconds if those are given. */
async function run(command: 'backup' | 'restore', backup: string, data: string, killAfterMs?: number) {
  const program = join(root, killAfterMs === undefined ? `local/backup/run.mjs` : `local/backup/${command}.ts`);
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
  const underWay = await uploadAndEncodeHalf();

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
  const before = await client.getVideo(finished);
  expect((await client.getVideo(underWay)).status).toBe('running');
  // The restored service must not depend on anything of this one.
  await services.at(-1)!.stop();

  const restored = join(folder, 'restored');
  expect(await run('restore', backup, restored)).toMatchObject({ status: 0, errors: '' });
  await gate.open();
  const second = await start({ dataFolder: restored, port: await findFreePorts() });
  const again = createClient(second.apiUrl, client.token);
  expect(await again.getVideo(finished)).toEqual(before);
  expect(await parametersOf(restored)).toEqual(parameters);
  expect(await again.waitUntilDone(underWay)).toMatchObject({ status: 'completed', outputs: [{ progress: 100 }] });
  for (const ulid of [finished, underWay]) await expectWhole(again, ulid);
});
