import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, signUp } from '../../test/journey/support/client.ts';
import { startService } from '../../test/journey/support/service.ts';
import { makeSourceClip } from '../../test/journey/support/source-clip.ts';
import { streamsOf } from '../../test/journey/support/templates.ts';
import { type Row, row } from './row.ts';
import { cpuSecondsOf, serviceCpuSeconds, serviceMemoryMiB } from './service-process.ts';

const clients = 24;
/**
 * One user may make 300 requests a minute. The number has no divisor in common with the number of paths, so each user
 * reads each path.
 */
const users = 31;
const readsInAll = 9000;
/** They start the instances of the functions and let V8 optimize the code: at first, a read takes twice as long. */
const warmUpReads = 4000;
/** Schedules start other functions at the full minute. */
const scheduleMs = 5000;
const minuteMs = 60_000;

/** What the service takes from its machine: at rest, while 24 clients read, and a minute later. */
export async function measureServiceUse(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-use-'));
  const dataFolder = join(folder, 'data');
  const service = await startService({ dataFolder, env: { WORKERS: '2' } });
  try {
    await sleep(minuteMs / 2);
    const restMiB = await serviceMemoryMiB(dataFolder);
    const restCpuSeconds = await cpuSecondsDuring(dataFolder, () => sleep(minuteMs));
    const reads = await prepareReads(service.apiUrl, folder);
    // A user's requests are counted by the minute.
    await sleep(minuteMs - (Date.now() % minuteMs) + scheduleMs);
    // After seconds without requests, instances are stopped.
    await readConcurrently(reads.splice(0, warmUpReads), clients);
    const largest = followMemory(dataFolder);
    const cpuBefore = await serviceCpuSeconds(dataFolder);
    const { readsPerSecond, p50Ms, p99Ms } = await readConcurrently(reads, clients);
    const cpuMs = (1000 * ((await serviceCpuSeconds(dataFolder)) - cpuBefore)) / reads.length;
    const loadMiB = await largest();
    const plain = await measurePlainServer();
    await sleep(minuteMs);
    const laterMiB = await serviceMemoryMiB(dataFolder);
    const name = `${clients} clients, mixed reads`;
    return [
      row({ name: 'memory of the service at rest', value: restMiB, unit: 'MiB', atMost: 250 }),
      row({ name: 'CPU of the service at rest', value: (100_000 * restCpuSeconds) / minuteMs, unit: '%', atMost: 1 }),
      row({
        name: `${name}: rate`,
        value: readsPerSecond,
        baseline: plain.readsPerSecond,
        unit: 'reads/s',
        atLeast: 500,
      }),
      row({ name: `${name}: median`, value: p50Ms, baseline: plain.p50Ms, unit: 'ms' }),
      row({
        name: `${name}: 99th percentile`,
        value: p99Ms,
        baseline: plain.p99Ms,
        unit: 'ms',
        atMost: 100,
      }),
      // The baseline is a server in Node that answers a constant.
      row({
        name: `${name}: CPU of the service`,
        value: cpuMs,
        baseline: plain.cpuMs,
        unit: 'ms a read',
        ratioAtMost: 300,
      }),
      row({ name: 'memory of the service under these reads', value: loadMiB, unit: 'MiB', atMost: 500 }),
      row({ name: 'memory of the service a minute later', value: laterMiB, unit: 'MiB', atMost: 300 }),
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function cpuSecondsDuring(dataFolder: string, work: () => Promise<unknown>): Promise<number> {
  const before = await serviceCpuSeconds(dataFolder);
  await work();
  return (await serviceCpuSeconds(dataFolder)) - before;
}

/** Users with a finished video each, and what they read in turn. */
async function prepareReads(apiUrl: string, folder: string): Promise<Read[]> {
  const clip = join(folder, 'clip.mp4');
  await makeSourceClip(clip, { durationSeconds: 1, width: 160, height: 90, bitrate: '100k' });
  const kinds: Read[][] = [];
  for (let user = 0; user < users; user += 1) kinds.push(await readsOf(await signUp(apiUrl), apiUrl, clip));
  // Reads that follow each other differ in path and user. Equal ones in a row would all wait for the same function.
  return Array.from({ length: readsInAll }, (_, index) => {
    const reads = kinds[index % users]!;
    return reads[index % reads.length]!;
  });
}

async function readsOf(client: Client, apiUrl: string, file: string): Promise<Read[]> {
  const template = await client.makeTemplate({
    ...streamsOf([240]),
    outputs: [{ format: 'hls', container: 'ts', segment_duration: 2 }],
  });
  const ulid = await client.upload({ file, template, partBytes: 2 ** 24 });
  await client.waitUntilDone(ulid);
  const { hls = '' } = await client.sources(ulid);
  const paths = [
    '/api/me',
    `/api/videos/${ulid}`,
    `/api/videos/${ulid}/sources`,
    '/api/videos',
    `/api/templates/${template}`,
  ];
  const headers = { authorization: `Bearer ${client.token}` };
  return [...paths.map((path) => ({ url: `${apiUrl}${path}`, headers })), { url: hls, headers: {} }];
}

/** Watches the memory of the service. The result ends that and returns the largest. */
function followMemory(dataFolder: string): () => Promise<number> {
  let largestMiB = 0;
  const look = async () => {
    largestMiB = Math.max(largestMiB, await serviceMemoryMiB(dataFolder));
  };
  // A service that has ended is reported by the last look, or by what reads from it.
  const timer = setInterval(() => look().catch(() => undefined), 200);
  return async () => {
    clearInterval(timer);
    await look();
    return largestMiB;
  };
}

/** The same clients and a server that does nothing but answer. */
async function measurePlainServer() {
  const server = fork(join(import.meta.dirname, 'plain-server.ts'), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [address] = (await once(server.stdout!, 'data')) as [Buffer];
  const read: Read = { url: address.toString().trim(), headers: {} };
  const reads = Array.from({ length: 4 * readsInAll }, () => read);
  await readConcurrently(reads.slice(0, readsInAll), clients);
  const cpuBefore = await cpuSecondsOf(server.pid!);
  const times = await readConcurrently(reads, clients);
  const cpuMs = (1000 * ((await cpuSecondsOf(server.pid!)) - cpuBefore)) / reads.length;
  server.disconnect();
  return { ...times, cpuMs };
}

type Read = { url: string; headers: Record<string, string> };
type ReadTimes = { readsPerSecond: number; p50Ms: number; p99Ms: number };

/** Sends the reads over as many connections as there are clients, each as soon as its client has the answer before. */
async function readConcurrently(reads: Read[], clients: number): Promise<ReadTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const waiting = [...reads].reverse();
  const durationsMs: number[] = [];
  const startMs = performance.now();
  async function client(): Promise<void> {
    for (let read = waiting.pop(); read; read = waiting.pop()) {
      const sentMs = performance.now();
      await send(read, agent);
      durationsMs.push(performance.now() - sentMs);
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startMs) / 1000;
  agent.destroy();
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return { readsPerSecond: reads.length / seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

const send = ({ url, headers }: Read, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      const { statusCode } = response;
      if (statusCode !== 200) reject(new Error(`${url} answers ${statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    });
    sent.once('error', reject).end();
  });
