import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newUlid } from '../../functions/common/ids.ts';
import { nodeUlid, type RunningProxy, startProxy } from '../delivery/proxy/running-proxy.ts';
import { readOperator } from '../fixtures/servers/read-operator.ts';
import { openBrowser } from './support/browser.ts';
import { type Client, createClient, signUp } from './support/client.ts';
import { type Service, startService } from './support/service.ts';
import { hlsOf } from './support/templates.ts';

const clip = inject('clip');
const region = 'local-1';
const bucket = 'video-service-local';
let folder: string;
let service: Service;
let proxy: RunningProxy;
let store: S3Client;
let admin: Client;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let hls: string;
let video: { ulid: string; owner: Client };

/** A node's nginx in front of a service's store, with the service's keys. No other journey plays from this service. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proxy-node-'));
  const dataFolder = join(folder, 'data');
  service = await startService({ dataFolder });
  const { apiUrl } = service;
  const { storeUrl: endpoint, controlUrl: parametersEndpoint, credentials } = await readOperator(dataFolder);
  store = new S3Client({ endpoint, region, credentials });
  const keysParameter = '/video-service/local/signing-keys';
  const parameters = new SSMClient({ endpoint: parametersEndpoint, region, credentials });
  const { Parameter } = await parameters.send(new GetParameterCommand({ Name: keysParameter, WithDecryption: true }));
  parameters.destroy();
  const { keys } = JSON.parse(Parameter!.Value!);
  const node = { bucket, region, credentials, keysParameter, keys };
  proxy = await startProxy({ endpoint, parametersEndpoint }, node);
  browser = await openBrowser();

  admin = createClient(apiUrl, await readFile(join(dataFolder, 'api-token'), 'utf8'));
  const client = await signUp(apiUrl);
  const template = await client.makeTemplate(hlsOf([360]));
  const ulid = await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
  const { pathname } = new URL((await client.sources(ulid)).hls!);
  hls = proxy.address + pathname;
  video = { ulid, owner: client };
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  store?.destroy();
  await service?.stop();
  for (const line of service?.errors ?? []) console.error(line);
  await rm(folder, { recursive: true });
});

async function delivered(): Promise<{ bytes: number; sessions: number }> {
  const { data } = await admin.get<{ data: { bandwidth: { total_bytes: number }; sessions: { total: number } } }>(
    '/api/analytics',
  );
  return { bytes: data.bandwidth.total_bytes, sessions: data.sessions.total };
}

type Line = { bytes: number; session: string; status: number };

const linesOf = (log: string): Line[] =>
  log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const bytesOf = (lines: Line[]): number => lines.reduce((sum, { bytes }) => sum + bytes, 0);

test('a browser plays from a proxy node, and analytics count the traffic once', async () => {
  const before = await delivered();

  const seen = await browser.play({ url: hls, format: 'hls', playSeconds: Infinity, rate: 4 });
  expect(seen).toMatchObject({ ended: true, errors: [] });
  expect(seen.duration).toBeCloseTo(clip.durationSeconds, 1);

  // Each worker of nginx writes its lines in parts.
  const streams = (await video.owner.getVideo(video.ulid)).streams.filter(({ type }) => type !== 'original');
  const mediaBytes = streams.reduce((sum, { size }) => sum + (size ?? 0), 0);
  await proxy.reopenLogs();
  const log = join(proxy.folder, 'logs/access.jsonl');
  await expect.poll(async () => bytesOf(linesOf(await readFile(log, 'utf8')))).toBeGreaterThanOrEqual(mediaBytes);
  await proxy.tick();
  await proxy.tick();
  const { body } = await shippedLog();
  const lines = linesOf(gunzipSync(body).toString());
  expect(new Set(lines.map(({ session }) => session)).size).toBe(1);
  const bytes = bytesOf(lines);
  const after = { bytes: before.bytes + bytes, sessions: before.sessions + 1 };
  await expect.poll(delivered).toEqual(after);

  await shipAgain();
  const marker = await proxy.get(new URL(hls).pathname);
  await marker.arrayBuffer();
  const more = bytesOf(await linesInNextLog());
  // The event of the repeated log arrived before this one's.
  await expect.poll(delivered).toEqual({ bytes: after.bytes + more, sessions: after.sessions });
});

/** Writes the same log under the same name again, which no node may do: its event is delivered twice. */
async function shipAgain(): Promise<void> {
  const { object, body } = await shippedLog();
  await store.send(new PutObjectCommand({ ...object, Body: body }));
}

/** The only log that the node has shipped. */
async function shippedLog() {
  const Prefix = `logs/access/${nodeUlid}/`;
  const { Contents = [] } = await store.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
  expect(Contents).toHaveLength(1);
  const object = { Bucket: bucket, Key: Contents[0]!.Key! };
  const { Body } = await store.send(new GetObjectCommand(object));
  return { object, body: await Body!.transformToByteArray() };
}

async function linesInNextLog() {
  await proxy.reopenLogs();
  const log = join(proxy.folder, 'logs/access.jsonl');
  await expect.poll(async () => (await readFile(log).catch(() => '')).length).toBeGreaterThan(0);
  const lines = linesOf(await readFile(log, 'utf8'));
  await proxy.tick();
  await proxy.tick();
  return lines;
}

test('a proxy node delivers a video without a signature as soon as its owner makes it public', async () => {
  const file = new URL(hls).pathname.split(`/videos/${video.ulid}/`)[1]!;
  await video.owner.put(`/api/videos/${video.ulid}`, { playback: 'public' });
  await expect.poll(async () => (await proxy.get(`/p/${video.ulid}/${file}`)).status).toBe(200);
  expect((await proxy.get(`/p/${newUlid()}/${file}`)).status).toBe(404);
});
