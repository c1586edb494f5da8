import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type SshServer, startSshServer } from '../fixtures/servers/start-ssh-server.ts';
import { type Account, openAccount } from './support/account.ts';
import { type Client, createClient, signUp } from './support/client.ts';
import { createEncodeGates, type EncodeGate, type EncodeGates, encodeGate } from './support/encode-gate.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { processesOf } from './support/processes.ts';
import { type Service, startService } from './support/service.ts';
import { gatedChunks } from './support/templates.ts';

type Node = { id: number; status: string; last_error: string | null };
type Step = { step: string; status: string; required: boolean; log: string | null };
type Queue = { pending: number; reserved: number; total: number };
type Container = { name: string; state: string };

/** The API allows 300 requests a minute per user. */
const lookEveryMs = 500;
const image = `registry.example.com/worker@sha256:${'a'.repeat(64)}`;
const root = join(import.meta.dirname, '../..');
const gatedBitrateBps = 801_000;
/**
 * The command of the worker's image, at a lower priority than the service, which must answer while every core encodes.
 */
const program = ({ path }: EncodeGates): string => `export PATH='${path}'
exec nice -n 5 '${process.execPath}' '${root}/encoder-task/main.ts'`;

const clip = inject('clip');
let folder: string;
let dataFolder: string;
let server: SshServer;
let service: Service;
let gates: EncodeGates;
let gate: EncodeGate;
let account: Account;
let admin: Client;
let client: Client;
let template: string;
let path: string;
/** The video that the service's local worker and the node encode together. */
let shared: string;

/** A service with one local worker, and a server reached over OpenSSH whose container engine runs the real worker. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worker-node-'));
  dataFolder = join(folder, 'data');
  gates = await createEncodeGates();
  gate = encodeGate(gates, gatedBitrateBps);
  server = await startSshServer({ program: program(gates) });
  const env = { WORKERS: '1', NODE_SSH_PORT: String(server.target.port), WORKER_IMAGE: image, PATH: gates.path };
  service = await startService({ dataFolder, env });
  account = await openAccount(dataFolder);
  admin = createClient(service.apiUrl, await readFile(join(dataFolder, 'api-token'), 'utf8'));
  client = await signUp(service.apiUrl);
  template = await client.makeTemplate(gatedChunks(gatedBitrateBps));
});
afterAll(async () => {
  account?.close();
  await service?.stop();
  await server?.stop();
  for (const line of service?.errors ?? []) console.error(line);
  for (const one of [folder, gates.folder]) await rm(one, { recursive: true });
});

const workerNames = ['video-service-worker-1', 'video-service-worker-2'];

/** Workers that have been idle call every 20 s. Restarted ones call at once, and again after 1, 2 and 4 s. */
async function restartIdleWorkers(): Promise<void> {
  const before = await Promise.all(workerNames.map(processOf));
  for (const pid of before) process.kill(pid, 'SIGTERM');
  const areNew = async () => (await Promise.all(workerNames.map(processOf))).every((pid) => !before.includes(pid));
  await expect.poll(areNew).toBe(true);
}

/** Uploads the clip. Its four chunks, for three workers, are encoded when their gate lets them pass. */
const startUpload = (externalUserId: string): Promise<string> =>
  client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20, externalUserId });

/** The same for workers that are idle. */
async function upload(externalUserId: string): Promise<string> {
  await gate.close();
  await restartIdleWorkers();
  return startUpload(externalUserId);
}
const nodeNow = async () => (await admin.get<{ data: Node }>(path)).data;
const queueNow = () => admin.get<Queue>(`${path}/pending-jobs`);
const stepsNow = async () => (await admin.get<{ data: Step[] }>(`${path}/deploy/steps`)).data;
const containersNow = async () => (await admin.get<{ data: Container[] }>(`${path}/containers`)).data;

async function deploy(step: string): Promise<void> {
  await admin.post(`${path}/deploy`, { step });
  const ended = async () => (await stepsNow()).find((one) => one.step === step && /succeeded|failed/.test(one.status));
  await expect.poll(ended, { interval: lookEveryMs }).toBeDefined();
  expect(await ended(), (await nodeNow()).last_error ?? '').toMatchObject({ status: 'succeeded' });
}

/** Encoder processes below a folder. */
const encodersIn = async (below: string): Promise<number> =>
  (await processesOf(below)).filter(({ command }) => command.includes('libx264')).length;

/** Not the probe job, which ends too quickly. */
async function untilNodeEncodes(): Promise<void> {
  const jobs = async () =>
    (await encodersIn(join(server.root, 'docker/containers'))) > 0 ? (await queueNow()).reserved : 0;
  await expect.poll(jobs, { interval: lookEveryMs }).toBeGreaterThan(0);
}

const containerFolder = (name: string): string => join(server.root, 'docker/containers', name);
const processOf = async (name: string): Promise<number> => Number(await readFile(join(containerFolder(name), 'pid')));
const workersOnServer = async () =>
  (await processesOf(server.root)).filter(({ command }) => command.includes('/encoder-task/main.ts'));

async function expectWhole(ulid: string): Promise<void> {
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', outputs: [{ progress: 100 }] });
  const { hls } = await client.sources(ulid);
  expect(await playbackErrors(hls!)).toEqual([]);
  const shown = (await frames(hls!, 360)).map(({ number }) => number);
  expect(shown).toEqual(Array.from({ length: clip.frames }, (_, number) => number));
}

test('a server becomes an active worker step by step', async () => {
  const { publicKey, target } = server;
  const key = { name: 'nodes', public_key: publicKey, private_key: target.privateKey };
  const { data: stored } = await admin.post<{ data: { id: number } }>('/api/ssh-keys', key);
  const facts = { name: 'encoder-1', ip_address: target.address, user: target.user, type: 'worker', workers: 2 };
  const { data: node } = await admin.post<{ data: Node }>('/api/nodes', { ...facts, ssh_key_id: stored.id });
  path = `/api/nodes/${node.id}`;
  for (const { step } of (await stepsNow()).filter(({ required, step }) => required && step !== 'verify')) {
    await deploy(step);
    expect((await nodeNow()).status).toBe('pending');
  }
  // Without a node the service starts its local worker. It exits when it is idle, so it gets a job that waits.
  await gate.close();
  shared = await startUpload('killed');
  await expect.poll(() => encodersIn(dataFolder), { interval: lookEveryMs }).toBe(1);
  await deploy('verify');
  expect(await nodeNow()).toMatchObject({ status: 'active', last_error: null });
  expect(await containersNow()).toMatchObject([
    { name: 'video-service-worker-1', state: 'running' },
    { name: 'video-service-worker-2', state: 'running' },
  ]);
});

test('it encodes a share of a video; jobs of a killed worker are done by others and counted once', async () => {
  await untilNodeEncodes();
  const { pending, reserved, total } = await queueNow();
  expect(total).toBe(pending + reserved);

  const worker = await processOf('video-service-worker-1');
  await expect
    .poll(async () => {
      // Paused, so that it still holds this job when it is killed.
      process.kill(worker, 'SIGSTOP');
      const encoders = await Promise.all([dataFolder, containerFolder('video-service-worker-1')].map(encodersIn));
      const isShared = encoders.every((count) => count === 1);
      if (!isShared) process.kill(worker, 'SIGCONT');
      return isShared;
    })
    .toBe(true);
  process.kill(worker, 'SIGKILL');
  await expect.poll(() => processOf('video-service-worker-1')).not.toBe(worker);
  await gate.open();
  await expectWhole(shared);
  expect(await queueNow()).toEqual({ pending: 0, reserved: 0, total: 0 });

  const jobs = await account.jobsOf(shared);
  expect(jobs.filter(({ attempt }) => attempt > 1)).not.toEqual([]);
  const cpuSeconds = jobs.reduce((sum, { result }) => sum + result.cpuSeconds, 0);
  const used = (await client.usageOfToday()).filter(
    ({ metric, external_user_id }) => metric === 'encoding_cpu' && external_user_id === 'killed',
  );
  expect(used.map(({ value }) => value)).toEqual([Math.round(cpuSeconds)]);
});

test('a drained node finishes its job, takes no new one, and serves again once it is started', async () => {
  const ulid = await upload('drained');
  await untilNodeEncodes();
  await admin.post(`${path}/deploy`, { step: 'drain' });
  expect((await nodeNow()).status).toBe('draining');
  // One of each worker. The last chunk waits.
  await gate.allow(3);
  await expect.poll(async () => (await queueNow()).reserved, { timeout: 600_000, interval: lookEveryMs }).toBe(0);
  expect((await client.getVideo(ulid)).status).toBe('running');

  // With the last report, before the node check runs.
  await expect.poll(nodeNow, { interval: lookEveryMs }).toMatchObject({ status: 'pending', last_error: null });
  expect(await workersOnServer()).toEqual([]);
  expect((await containersNow()).map(({ state }) => state)).toEqual(['exited', 'exited']);
  expect((await queueNow()).reserved).toBe(0);
  await gate.open();
  await expectWhole(ulid);
  const attempts = (await account.jobsOf(ulid)).map(({ attempt }) => attempt);
  expect(new Set(attempts)).toEqual(new Set([1]));

  for (const step of ['start', 'verify']) await deploy(step);
  expect((await nodeNow()).status).toBe('active');
});

test('a node deleted during work is removed with its containers and its token; the video completes', async () => {
  const settings = await readFile(join(server.root, 'etc/video-service/worker/worker.env'), 'utf8');
  const [, token] = /WORKER_TOKEN=(.+)/.exec(settings) ?? [];
  const sync = () =>
    fetch(`${service.apiUrl}/api/workers/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ worker: 'worker-3', epoch: 'e', version: '1', leaving: true }),
    });
  expect((await sync()).status).toBe(200);

  const ulid = await upload('deleted');
  await untilNodeEncodes();
  const answer = await admin.remove(path);
  expect([answer.status, ((await answer.json()) as { data: Node }).data.status]).toEqual([202, 'deleting']);
  await gate.open();
  await expect
    .poll(
      async () => {
        await account.checkNodes();
        return nodeNow().catch(({ status }) => status);
      },
      { timeout: 600_000, interval: lookEveryMs },
    )
    .toBe(404);
  expect((await sync()).status).toBe(401);
  expect(await workersOnServer()).toEqual([]);
  expect(await readdir(join(server.root, 'docker/containers'))).toEqual([]);
  await expectWhole(ulid);
});
