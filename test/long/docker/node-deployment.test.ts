import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { type Client, createClient } from '../../journey/support/client.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { makeSourceClip } from '../../journey/support/source-clip.ts';
import { hlsOf } from '../../journey/support/templates.ts';
import { end, run, start } from './commands.ts';
import { bootScript, makeServer } from './debian-root.ts';
import { engineOf } from './engine.ts';
import { startRegistry } from './images.ts';
import { hostAddress, makeCertificate, makeNetwork, nodeAddress, startForwardProxy, startTlsProxy } from './network.ts';

type Node = { id: number; status: string; last_error: string | null };
type Step = { step: string; status: string; required: boolean; log: string | null };

const hostname = 'proxy1.test';

let folder: string;
let service: Service;
let admin: Client;
let sshKey: number;
const endings: (() => unknown)[] = [];
const atEnd = (ending: () => unknown) => void endings.unshift(ending);

/**
 * A service with TLS by a private authority and without local workers, and a server: a Debian 13 root with sshd in a
 * network namespace, on which the steps install everything else with apt-get. Its images come from a registry, and the
 * certificate of the proxy from an ACME authority.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'node-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);

  const network = await makeNetwork();
  atEnd(network.remove);
  const aptProxy = await startForwardProxy();
  atEnd(() => aptProxy.server.close());
  const images = await startRegistry(engineOf(inject('engine')), { namespace: network.namespace, folder });
  atEnd(() => end(images.registry));

  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('key'), '-C', '']);
  const publicKey = (await readFile(at('key.pub'), 'utf8')).trim();
  await makeServer(inject('base'), { root: at('server'), publicKey, aptProxy: aptProxy.url });
  // The machine of the service is that of the node: it sees the folder with the sockets.
  await writeFile(at('boot.sh'), bootScript(at('server'), at('data')));
  const booted = start(
    'nsenter',
    [`--net=/run/netns/${network.namespace}`, 'unshare', '-mpuf', '--kill-child', 'bash', at('boot.sh')],
    at('server.log'),
  );
  atEnd(() => end(booted, 'SIGKILL'));

  const certificate = await makeCertificate(folder);
  const authority = await readFile(certificate.authority, 'utf8');
  setDefaultCACertificates([...getCACertificates(), authority]);
  const acme = await startAcme(certificate);
  atEnd(() => end(acme));
  const port = await findFreePorts();
  const [api, store] = [await startTlsProxy(certificate, port), await startTlsProxy(certificate, port + 1)];
  for (const { server } of [api, store]) atEnd(() => server.close());
  service = await startService({
    dataFolder: at('data'),
    port,
    env: {
      PUBLIC_URL: api.url,
      PUBLIC_STORE_URL: store.url,
      NODE_CA: certificate.authority,
      WORKERS: '0',
      WORKER_IMAGE: images.worker,
      PROXY_IMAGE: images.proxy,
      ACME_DIRECTORY: `https://${hostAddress}:14000/dir`,
    },
  });
  atEnd(service.stop);
  admin = createClient(service.apiUrl, await readFile(at('data/api-token'), 'utf8'));
  const pair = { name: 'nodes', public_key: publicKey, private_key: await readFile(at('key'), 'utf8') };
  sshKey = (await admin.post<{ data: { id: number } }>('/api/ssh-keys', pair)).data.id;
}, 3_600_000);
afterAll(async () => {
  for (const ending of endings) await ending();
  for (const line of service?.errors ?? []) console.error(line);
}, 300_000);

/** It resolves the name of the proxy by a file of hosts that only it sees. */
async function startAcme({ certificate, key }: { certificate: string; key: string }): Promise<ChildProcess> {
  const [config, hosts] = [join(folder, 'pebble.json'), join(folder, 'hosts')];
  await writeFile(hosts, `${nodeAddress} ${hostname}\n`);
  const pebble = {
    listenAddress: `${hostAddress}:14000`,
    managementListenAddress: `${hostAddress}:15000`,
    certificate,
    privateKey: key,
    httpPort: 80,
    tlsPort: 443,
  };
  await writeFile(config, JSON.stringify({ pebble }));
  const script = `mount --make-rprivate / && mount --bind '${hosts}' /etc/hosts && exec pebble -config '${config}'`;
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' };
  return start('unshare', ['-m', 'sh', '-c', script], join(folder, 'pebble.log'), env);
}

async function deploy(node: object): Promise<string> {
  const facts = { ip_address: nodeAddress, user: 'deploy', ssh_key_id: sshKey, ...node };
  const path = `/api/nodes/${(await admin.post<{ data: Node }>('/api/nodes', facts)).data.id}`;
  for (const { step } of (await stepsOf(path)).filter(({ required }) => required)) await runStep(path, step);
  expect(await nodeAt(path)).toMatchObject({ status: 'active', last_error: null });
  return path;
}

async function runStep(path: string, step: string): Promise<void> {
  await admin.post(`${path}/deploy`, { step });
  const ended = async () => (await stepsOf(path)).find((one) => one.step === step && /succ|fail/.test(one.status));
  await expect.poll(ended, { interval: 1000, timeout: 900_000 }).toBeDefined();
  const { status, log } = (await ended())!;
  expect(status, `${step}: ${(await nodeAt(path)).last_error}\n${log}`).toBe('succeeded');
  console.info(`${step}: ${log?.trim().split('\n').at(-1)}`);
}

const stepsOf = async (path: string) => (await admin.get<{ data: Step[] }>(`${path}/deploy/steps`)).data;
const nodeAt = async (path: string) => (await admin.get<{ data: Node }>(path)).data;

/** What the proxy answers under its name; the root of the ACME authority is made at its start. */
async function fromProxy(url: string): Promise<{ status: number | undefined; text: string }> {
  const { pathname } = new URL(url);
  const root = await (await fetch(`https://${hostAddress}:15000/roots/0`)).text();
  return new Promise((resolve, reject) => {
    const options = { host: nodeAddress, servername: hostname, headers: { host: hostname }, path: pathname, ca: root };
    request(options, async (answer) => {
      const parts = await answer.toArray();
      resolve({ status: answer.statusCode, text: Buffer.concat(parts).toString() });
    })
      .on('error', reject)
      .end();
  });
}

let proxyPath: string;
let video: string;

test('a worker is deployed to Debian 13, and encodes a video as the only encoder', async () => {
  await deploy({ name: 'encoder-1', type: 'worker', workers: 1 });
  const clip = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 6 });
  const template = await admin.makeTemplate(hlsOf([360, 240]));
  video = await admin.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await admin.waitFor(video, ({ status }) => status === 'completed', { atMostMs: 1_200_000 });
});

test('a proxy gets a certificate, and delivers the video from a store that has only a loopback address', async () => {
  proxyPath = await deploy({ name: 'proxy-1', type: 'proxy', hostname });
  const { sources } = await admin.get<{ sources: { url: string }[] }>(`/api/videos/${video}/sources`);
  const url = sources[0]!.url;
  expect(url).toMatch(/^https:\/\/proxy1\.test\/s\//);
  const playlist = await fromProxy(url);
  expect(playlist).toMatchObject({ status: 200, text: expect.stringMatching(/^#EXTM3U/) });
  const rendition = playlist.text.split('\n').find((line) => /^[^#].*\.m3u8$/.test(line))!;
  const media = await fromProxy(new URL(rendition, url).href);
  const segment = media.text.split('\n').find((line) => /^[^#]/.test(line))!;
  const bytes = await fromProxy(new URL(segment, new URL(rendition, url)).href);
  expect([media.status, bytes.status, bytes.text.length > 10_000]).toEqual([200, 200, true]);
  const forged = url.replace(/\/videos\//, 'x/videos/');
  expect((await fromProxy(forged)).status).toBe(403);
});

test('a proxy that lost its way to the store is not verified, and a removed one leaves nothing', async () => {
  // A proxy that has just started has no open connections to the store, by which it would still read.
  const unknownHosts = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  const ssh = ['-i', join(folder, 'key'), ...unknownHosts, `deploy@${nodeAddress}`];
  await run('ssh', [...ssh, 'sudo', 'docker', 'restart', 'video-service-proxy']);
  const sockets = join(folder, 'data/sockets/store');
  await run('mv', [sockets, `${sockets}.away`]);
  await admin.post(`${proxyPath}/deploy`, { step: 'verify' });
  await expect
    .poll(() => nodeAt(proxyPath), { interval: 1000, timeout: 300_000 })
    .toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('does not deliver a file of the bucket'),
    });
  await run('mv', [`${sockets}.away`, sockets]);
  await admin.remove(proxyPath);
  await expect
    .poll(() => nodeAt(proxyPath).catch(({ status }) => status), { interval: 1000, timeout: 300_000 })
    .toBe(404);
  const left = await run('find', [join(folder, 'server/etc'), '-path', '*video-service*', '-name', '*proxy*']);
  expect(left).toBe('');
  expect(await run('find', [join(folder, 'server/etc'), '-name', 'video-service-aws'])).toBe('');
});
