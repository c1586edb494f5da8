// The cost of a signed, cached 64 KiB segment from the embedded distribution of the template, compared with a Node
// server that sends the same bytes from memory.

import { createServer, type RequestListener } from 'node:http';
import { Worker } from 'node:worker_threads';
import { createClientAddress, readAssembly } from 'embedded-aws';
import { createDistribution, type Origin } from 'embedded-aws/testing';
import signedUrl from '../../delivery/urls/signed-url.js';
import { listen } from '../../local/server/listen.ts';
import { synthesise } from '../../local/synthesise.ts';
import { median, type Row, row } from './row.ts';

const videoUlid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
const secret = Buffer.alloc(32, 1).toString('base64url');
const body = Buffer.alloc(64 * 1024, 'segment');
const headers = { 'content-type': 'video/mp4', 'content-length': String(body.length) };
const roundSeconds = 1;
const connections = 16;

/** @param repeats rounds, in which both servers alternate */
export async function measureEdge(repeats: number): Promise<Row[]> {
  const distribution = await openDistribution();
  const servers = [
    createServer((request, response) => void distribution.handle(request, response)),
    createServer(((_request, response) => response.writeHead(200, headers).end(body)) as RequestListener),
  ];
  try {
    const [edge, plain] = await Promise.all(
      servers.map(async (server) => `http://127.0.0.1:${await listen(server, 0)}`),
    );
    const times: [edge: number[], plain: number[]] = [[], []];
    await load(edge!);
    await load(plain!);
    for (let round = 0; round < Math.max(repeats, 3); round++) {
      times[0].push(await load(edge!));
      times[1].push(await load(plain!));
    }
    const name = 'signed, kept 64 KiB segment from the embedded distribution: CPU';
    return [row({ name, value: median(times[0]), unit: 'µs', baseline: median(times[1]), ratioAtMost: 5 })];
  } finally {
    distribution.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

async function openDistribution() {
  const template = await readAssembly(await synthesise(), 'http://127.0.0.1:3000');
  for (const { logicalId, type } of template.customResources) {
    if (type === 'Custom::OriginSecret') template.customAttributes.set(logicalId, { Value: 'secret' });
  }
  const [definition] = template.distributions();
  const files: Origin = {
    hostName: 'media',
    hasRanges: true,
    fetch: async () => {
      const range = { start: 0, end: body.length };
      return { status: 206, headers: { 'content-type': 'video/mp4' }, chunks: [body], sizeBytes: body.length, range };
    },
  };
  return createDistribution({
    definition: definition!,
    // The API is not asked.
    originOf: () => files,
    keyValueReader: () => ({
      get: (key) => (key === 'key/k1' ? secret : undefined),
      meta: () => ({ creationDateTime: '', lastUpdatedDateTime: '', keyCount: 1 }),
    }),
    clientAddress: createClientAddress([]),
    log: console.error,
  });
}

const paths = Array.from({ length: 100 }, (_, index) =>
  signedUrl.signPath({
    keyId: 'k1',
    secret,
    expiresSeconds: Date.now() / 1000 + 86_400,
    session: 'bench',
    objectKey: `videos/${videoUlid}/r1/v720/${index}.m4s`,
  }),
);

/** Requests that a thread sends on kept connections. */
const sender = `
const { workerData: { address, paths, connections, milliseconds }, parentPort } = require('node:worker_threads');
const http = require('node:http');
const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
const endsAt = Date.now() + milliseconds;
let answers = 0, running = connections;
function next(at) {
  if (Date.now() > endsAt) { if (--running === 0) { agent.destroy(); parentPort.postMessage(answers); } return; }
  http.get(address + paths[at % paths.length], { agent }, (response) => {
    if (response.statusCode !== 200) throw new Error('status ' + response.statusCode);
    response.resume().once('end', () => { answers += 1; next(at + 1); });
  });
}
for (let one = 0; one < connections; one++) next(one);
`;

/** Microseconds of CPU of this thread for a response. */
async function load(address: string): Promise<number> {
  const before = process.threadCpuUsage();
  const workerData = { address, paths, connections, milliseconds: roundSeconds * 1000 };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  new Worker(sender, { eval: true, workerData }).once('message', resolve).once('error', reject);
  const responses = await promise;
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / responses;
}
