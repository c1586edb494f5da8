import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createControlServer, createPrincipal, createPrincipalLookup, openS3, openSsm } from 'embedded-aws/testing';
import { proxyFiles } from '../../../delivery/nginx/proxy-files.ts';
import { containerPaths, type ProxyPaths, type ProxySettings } from '../../../delivery/nginx/proxy-settings.ts';
import signedUrl from '../../../delivery/urls/signed-url.js';
import { listen } from '../../../local/server/listen.ts';
import type { EngineEnv } from '../../long/docker/engine.ts';
import { startHere, startInContainer } from './proxy-program.ts';

export const root = join(import.meta.dirname, '../../..');
export const nodeUlid = '01K9Z3R4E5F6G7H8J9K0M1N2P3';
export const videoUlid = '01K9Z3Q8V7N4T2M6X5C0R1B2D3';
export const keys = { k1: secretOf(1), k2: secretOf(2) };
export const keysParameter = '/video-service/test/signing-keys';
const credentials = { accessKeyId: 'AKIDPROXY', secretAccessKey: 'secret/with+odd=characters' };
const bucket = 'media';
const region = 'eu-west-2';

/** A base64url secret of the right length. */
export function secretOf(seed: number): string {
  return Buffer.alloc(32, seed).toString('base64url');
}

/** A signed path for a file of the video that expires in an hour. */
export const signed = (file: string, changes: Partial<Parameters<typeof signedUrl.signPath>[0]> = {}): string =>
  signedUrl.signPath({
    keyId: 'k1',
    secret: keys.k1,
    expiresSeconds: Date.now() / 1000 + 3600,
    session: 'viewer-1',
    objectKey: `videos/${videoUlid}/${file}`,
    ...changes,
  });

/** The embedded S3 and parameter store as the origin of the proxy. `requests` has method and path of each request. */
export async function startOrigin() {
  const folder = await mkdtemp(join(tmpdir(), 'origin-'));
  const requests: string[] = [];
  const find = createPrincipalLookup(createPrincipal(credentials));
  const ssm = await openSsm({ file: join(folder, 'parameters.json'), region });
  const s3 = await openS3({
    folder: join(folder, 's3'),
    region,
    findPrincipal: find,
    buckets: [{ name: bucket, cors: [], eventBridge: false }],
    onObjectCreated: () => {},
  });
  const control = createControlServer({ region, find, targets: new Map([[ssm.target, ssm.service]]) });
  let servers: Server[] = [];
  let ports = [0, 0];
  const serve = (handle: RequestListener): Server =>
    createServer((request, response) => {
      requests.push(`${request.method} ${request.headers.range ?? '-'} ${request.url}`);
      handle(request, response);
    });
  const start = async () => {
    servers = [serve(s3.handle), serve(control)];
    ports = await Promise.all(servers.map((server, index) => listen(server, ports[index]!)));
  };
  const stop = async () => {
    for (const server of servers) server.closeAllConnections();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  await start();
  const [endpoint, parametersEndpoint] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const store = new S3Client({ endpoint, region, credentials });
  const parameters = new SSMClient({ endpoint: parametersEndpoint, region, credentials });
  return {
    endpoint,
    parametersEndpoint,
    requests,
    store,
    bucket,
    start,
    stop,
    /** Stores any text as the parameter of the signing keys. */
    setParameter: (Value: string) =>
      parameters.send(new PutParameterCommand({ Name: keysParameter, Value, Type: 'SecureString', Overwrite: true })),
    async close() {
      store.destroy();
      parameters.destroy();
      await stop();
      await s3.close();
      await ssm.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Origin = Awaited<ReturnType<typeof startOrigin>>;

/**
 * A proxy in a temporary folder and on a loopback port: with the nginx of this machine, or in a container of its image
 * where the test has a Docker engine.
 */
export async function startProxy(
  origin: Pick<Origin, 'endpoint' | 'parametersEndpoint'>,
  changes: Partial<ProxySettings> = {},
  engine?: EngineEnv,
) {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const listening = { http: `127.0.0.1:${port}`, https: undefined, freeDiskBytes: 0, ...changes.paths };
  const paths = engine ? { ...containerPaths, ...listening } : placeIn(folder, listening);
  const node: ProxySettings = {
    ...proxyNode,
    endpoint: origin.endpoint,
    parametersEndpoint: origin.parametersEndpoint,
    credentials,
    ...changes,
    paths,
  };
  await writeProxyFiles(folder, node);
  const { program, inside } = engine ? await startInContainer(folder, engine) : startHere(folder);
  const errors: string[] = [];
  program.stderr!.on('data', (chunk) => errors.push(String(chunk)));
  const tick = () => inside(join(paths.code, 'delivery/proxy/tick.sh'));
  await untilAnswered(program, `${address}/healthz`, errors);
  // The program runs the minute tasks once when it starts; waiting for their lock shows that this is done.
  while (!existsSync(join(folder, 'run/tick.lock'))) await sleep(25);
  await tick();
  return {
    folder,
    address,
    node,
    errors,
    get: (path: string, init?: RequestInit) => fetch(address + path, init),
    /** Runs the minute tasks. */
    tick,
    /** Makes the workers flush their access log buffers. */
    reopenLogs: () => inside('sh', '-c', `kill -USR1 $(cat '${paths.run}/nginx.pid')`),
    async close() {
      const ended = new Promise((resolve) => program.once('exit', resolve));
      program.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type RunningProxy = Awaited<ReturnType<typeof startProxy>>;

export const proxyNode: ProxySettings = {
  ulid: nodeUlid,
  hostname: 'proxy.example.com',
  cdnMode: false,
  bucket,
  region,
  keysParameter,
  keys,
};

export const placeIn = (folder: string, changes: Partial<ProxyPaths> = {}): ProxyPaths => ({
  ...containerPaths,
  code: root,
  run: join(folder, 'run'),
  cache: join(folder, 'cache'),
  logs: join(folder, 'logs'),
  certificate: join(folder, 'certificate.pem'),
  certificateKey: join(folder, 'key.pem'),
  challenges: join(folder, 'challenges'),
  https: undefined,
  // The tests run nginx 1.22 of Debian 12.
  hasHttp2Directive: false,
  freeDiskBytes: 0,
  ...changes,
});

/** Writes the files of a node like its deployment does. */
export async function writeProxyFiles(folder: string, node: ProxySettings): Promise<void> {
  for (const name of ['configuration', 'aws', 'run', 'cache', 'logs', 'challenges']) {
    await mkdir(join(folder, name), { recursive: true });
  }
  for (const [name, text] of Object.entries(proxyFiles(node))) {
    // When started by root, nginx runs its workers as a user who cannot read the folder. That of the image is not.
    const isStartedByRoot = process.getuid?.() === 0 && node.paths?.code !== containerPaths.code;
    const user = name === 'nginx.conf' && isStartedByRoot ? 'user root;\n' : '';
    await writeFile(join(folder, 'configuration', name), user + text);
  }
}

/** The result of nginx's check of the configuration. */
export async function checkConfiguration(folder: string): Promise<{ status: number | null; stderr: string }> {
  for (const [name, text] of [
    ['signing-keys.json', JSON.stringify(keys)],
    ['credentials.json', '{}'],
  ] as const) {
    await writeFile(join(folder, 'run', name), text);
  }
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', join(folder, 'configuration/nginx.conf')], {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  return { status, stderr };
}

async function untilAnswered(program: ChildProcess, url: string, errors: string[]): Promise<void> {
  for (let attempt = 0; attempt < 4000 && program.exitCode === null; attempt++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(25);
  }
  throw new Error(`nginx does not start: ${errors.join('')}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
