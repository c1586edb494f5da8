import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { signRequest } from 'embedded-aws/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Cloud, type CloudOptions, startCloud } from '../../../local/server/cloud.ts';
import { listen } from '../../../local/server/listen.ts';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { readOperator } from '../../fixtures/servers/read-operator.ts';
import { writeSmallAssembly } from './small-assembly.ts';

const admin = { name: 'Administrator', email: 'a@example.com', password: 'correct horse' };

let folder: string;
let templateFolder: string;
let dataFolder: string;
let clouds: Cloud[];
let lines: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloud-'));
  templateFolder = join(folder, 'assembly');
  await writeSmallAssembly(templateFolder);
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  dataFolder = await mkdtemp(join(folder, 'data-'));
  clouds = [];
  lines = [];
});
afterEach(async () => {
  for (const cloud of clouds) await cloud.close();
});

async function start(more: Partial<CloudOptions> = {}): Promise<Cloud> {
  const writeLine = (source: string, line: string) => lines.push(`${source}: ${line}`);
  const cloud = await startCloud({ dataFolder, port: 0, templateFolder, workers: 1, writeLine, admin, ...more });
  clouds.push(cloud);
  return cloud;
}
const noteOf = async ({ apiUrl }: Cloud, pk: string) => (await fetch(`${apiUrl}/${pk}`)).text();
async function storeOf({ storeUrl }: Cloud): Promise<S3Client> {
  const { region, credentials } = await readOperator(dataFolder);
  return new S3Client({ endpoint: storeUrl, region, credentials });
}

test('an upload reaches the table through event, state machine and function', async () => {
  const cloud = await start();
  const store = await storeOf(cloud);
  const object = { Bucket: cloud.bucketName, Key: 'uploads/a.mp4' };
  const { UploadId } = await store.send(new CreateMultipartUploadCommand(object));
  const { ETag } = await store.send(new UploadPartCommand({ ...object, UploadId, PartNumber: 1, Body: 'video' }));
  await store.send(
    new CompleteMultipartUploadCommand({ ...object, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }),
  );
  await expect.poll(() => noteOf(cloud, 'stored')).toBe('CompleteMultipartUpload uploads/a.mp4');
});

test('what AWS would bill is metered with its source', async () => {
  const uses = new Map<string, number>();
  const of = (billed: string): Record<string, number> =>
    Object.fromEntries(
      [...uses].flatMap(([key, amount]) =>
        key.startsWith(`${billed}: `) ? [[key.slice(billed.length + 2), amount]] : [],
      ),
    );
  const cloud = await start({
    meter(billed, amount, source) {
      const key = `${billed}: ${source}`;
      uses.set(key, (uses.get(key) ?? 0) + amount);
    },
  });
  const store = await storeOf(cloud);
  const video = { Bucket: cloud.bucketName, Key: 'videos/a.m3u8' };
  await store.send(new PutObjectCommand({ ...video, Body: '#EXTM3U' }));
  await store.send(new ListObjectsV2Command({ Bucket: video.Bucket, Prefix: 'videos/' }));
  await fetch(`${cloud.apiUrl}/videos/a.m3u8`);
  // From the cache of the edge.
  await fetch(`${cloud.apiUrl}/videos/a.m3u8`);
  await store.send(new DeleteObjectCommand(video));
  await store.send(new PutObjectCommand({ ...video, Key: 'uploads/a.mp4', Body: 'video' }));
  await expect.poll(() => noteOf(cloud, 'stored')).toBe('PutObject uploads/a.mp4');
  expect(of('store writes')).toMatchObject({ 'videos/': 1, 'uploads/': 1, '': 1 });
  expect(of('store reads')).toEqual({ 'videos/': 1 });
  expect(of('objects created')).toMatchObject({ 'videos/': 1, 'uploads/': 1 });
  expect(of('edge requests')).toMatchObject({ '/videos/*': 2 });
  expect(of('API requests').$default).toBeGreaterThan(0);
  expect(of('function invocations')).toMatchObject({ 'small-setup': 1, 'small-stored': 1 });
  expect(of('state transitions')).toEqual({ Store: 1 });
  expect(of('table write units')).toMatchObject({ 'small-setup': 2, 'small-stored': 1 });
  expect(of('table read units')['small-setup']).toBe(0.5);
});

test('a change of an item reaches a function through the stream of the table', async () => {
  const cloud = await start();
  await expect.poll(() => noteOf(cloud, 'changed')).toBe('INSERT a@example.com notes');
});

test('an event that its rule may not deliver is in the dead-letter queue', async () => {
  const cloud = await start();
  const { region, controlUrl, credentials } = await readOperator(dataFolder);
  const object = { Bucket: cloud.bucketName, Key: 'refused/a.mp4', Body: 'video' };
  await (await storeOf(cloud)).send(new PutObjectCommand(object));
  const QueueUrl = `https://sqs.${region}.amazonaws.com/000000000000/dead-letters`;
  const url = `${controlUrl}/`;
  const body = JSON.stringify({ QueueUrl, MessageAttributeNames: ['All'], VisibilityTimeout: 0, WaitTimeSeconds: 20 });
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
  const answer = await fetch(url, signRequest({ url, headers, body, service: 'sqs', region, credentials }));
  const { Messages } = (await answer.json()) as { Messages: { Body: string; MessageAttributes: object }[] };
  expect(JSON.parse(Messages[0]!.Body).detail.object.key).toBe('refused/a.mp4');
  expect(Messages[0]!.MessageAttributes).toMatchObject({ ERROR_CODE: { StringValue: 'NO_PERMISSIONS' } });
});

test('the setup function receives the administrator, and schedules fire once at the start', async () => {
  const cloud = await start();
  expect(cloud.adminCreated).toBe(true);
  await expect.poll(() => noteOf(cloud, 'tick')).toBe('ran');
});

test('the distribution delivers files of the bucket and the API at one address, and its log is stored', async () => {
  const cloud = await start();
  const store = await storeOf(cloud);
  await store.send(new PutObjectCommand({ Bucket: cloud.bucketName, Key: 'videos/a.m3u8', Body: '#EXTM3U' }));
  const answer = await fetch(`${cloud.apiUrl}/videos/a.m3u8`);
  expect([await answer.text(), answer.headers.get('x-cache')]).toEqual(['#EXTM3U', 'Miss from cloudfront']);
  expect((await fetch(`${cloud.apiUrl}/uploads/a.mp4`)).headers.get('x-cache')).toBe('Miss from cloudfront');
  expect(await noteOf(cloud, 'admin')).toBe('a@example.com');
  // What a stopping service could not deliver is delivered after the next start.
  await cloud.close();
  const next = await start();
  const logs = async () =>
    (await (await storeOf(next)).send(new ListObjectsV2Command({ Bucket: next.bucketName, Prefix: 'logs/edge/' })))
      .Contents ?? [];
  await expect.poll(async () => (await logs()).length, { timeout: 30_000 }).toBeGreaterThan(0);
  const [log] = await logs();
  const { Body } = await (await storeOf(next)).send(new GetObjectCommand({ Bucket: next.bucketName, Key: log!.Key! }));
  const lines = gunzipSync(await Body!.transformToByteArray())
    .toString()
    .trim()
    .split('\n');
  expect(JSON.parse(lines[0]!)).toEqual({
    'cs-uri-stem': '/videos/a.m3u8',
    'sc-status': '200',
    'sc-bytes': expect.stringMatching(/^\d+$/),
    'c-ip': '127.0.0.1',
  });
});

test('the log of the distribution has no tokens of paths', async () => {
  const cloud = await start({ logLevel: 'INFO' });
  for (const path of [
    '/s/token/videos/a.m3u8',
    '/api/direct-uploads/token/s3/multipart',
    '/api/direct-uploads/token',
  ]) {
    await fetch(cloud.apiUrl + path);
  }
  const logged = () => lines.flatMap((line) => (line.startsWith('edge: {') ? [JSON.parse(line.slice(6)).path] : []));
  await expect
    .poll(logged)
    .toEqual(['/s/-/videos/a.m3u8', '/api/direct-uploads/-/s3/multipart', '/api/direct-uploads/-']);
});

test('a function starts a task, which is stopped with the services', async () => {
  const cloud = await start();
  expect(await (await fetch(`${cloud.apiUrl}/run-task`)).json()).toEqual({ started: 1 });
  await expect.poll(() => lines).toContain('worker: working local-0');
  await cloud.close();
  await expect(fetch(cloud.apiUrl)).rejects.toThrow();
});

test('state survives a restart, also on other ports', async () => {
  const first = await start();
  await first.close();
  const second = await start();
  expect([second.adminCreated, await noteOf(second, 'admin')]).toEqual([false, 'a@example.com']);
});

test('objects that expired while the service was off are removed at the next start', async () => {
  const cloud = await start();
  const store = await storeOf(cloud);
  for (const Key of ['work/chunks.json', 'videos/a.mp4']) {
    await store.send(new PutObjectCommand({ Bucket: cloud.bucketName, Key, Body: 'x' }));
  }
  await cloud.close();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 8 * 24 * 3600 * 1000 });
  try {
    const later = await start();
    const keys = async () => {
      const { Contents = [] } = await (await storeOf(later)).send(
        new ListObjectsV2Command({ Bucket: later.bucketName }),
      );
      return Contents.map(({ Key }) => Key);
    };
    await expect.poll(keys).toEqual(['videos/a.mp4']);
  } finally {
    vi.useRealTimers();
  }
});

test('the port after that of the API serves only the object store', async () => {
  const { storeUrl } = await start();
  const { credentials, region } = await readOperator(dataFolder);
  const ask = async (path: string, service: string, headers: Record<string, string>) => {
    const url = storeUrl + path;
    const signed = signRequest({ url, body: '{}', headers, service, region, credentials });
    const answer = await fetch(url, { ...signed, body: '{}' });
    return `${answer.status} ${answer.headers.get('server')}`;
  };
  // The store treats a request for another service as one for a missing object or without permission.
  expect(await ask('/', 'ssm', { 'x-amz-target': 'AmazonSSM.GetParameter' })).toBe('400 AmazonS3');
  expect(await ask('/2015-03-31/functions/small-api/invocations', 'lambda', {})).toBe('400 AmazonS3');
});

test('each function has its own credentials, with the permissions of its role', async () => {
  const cloud = await start();
  const outcomes = (await (await fetch(`${cloud.apiUrl}/reach`)).json()) as Record<string, string>;
  expect(outcomes).toEqual({
    'own table': 'done',
    'another item action': 'AccessDeniedException',
    "another function's parameter": 'AccessDeniedException',
    'an object': 'AccessDenied',
    'a function': 'AccessDeniedException',
  });
  const { credentials } = await readOperator(dataFolder);
  const ids = (await noteOf(cloud, 'key-ids')).split(' ');
  expect(new Set([...ids, credentials.accessKeyId]).size).toBe(3);
});

test('a file with addresses and credentials for the operator exists while the services run, readable by its owner only', async () => {
  const cloud = await start();
  const { controlUrl, storeUrl } = await readOperator(dataFolder);
  expect({ controlUrl, storeUrl }).toEqual({ controlUrl: cloud.controlUrl, storeUrl: cloud.storeUrl });
  const modes = async (...names: string[]) =>
    Promise.all(names.map(async (name) => ((await stat(join(dataFolder, name))).mode & 0o777).toString(8)));
  expect(await modes('aws-config', 'credentials.json')).toEqual(['600', '600']);
  await cloud.close();
  await expect(stat(join(dataFolder, 'aws-config'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an AWS SDK reads region, addresses and credentials from the operator’s file', async () => {
  const { bucketName } = await start();
  vi.stubEnv('AWS_CONFIG_FILE', join(dataFolder, 'aws-config'));
  vi.stubEnv('AWS_PROFILE', 'video-service');
  try {
    const { Parameters = [] } = await new SSMClient({}).send(new GetParametersByPathCommand({ Path: '/small' }));
    expect(Parameters.map(({ Name }) => Name)).toEqual(['/small/signing-keys']);
    const { Contents } = await new S3Client({ forcePathStyle: true }).send(
      new ListObjectsV2Command({ Bucket: bucketName }),
    );
    expect(Contents).toBeUndefined();
  } finally {
    vi.unstubAllEnvs();
  }
});

test('control port, credentials and presigned URLs stay valid after a restart', async () => {
  const port = await findFreePorts();
  const { storeUrl, ...first } = await start({ port });
  const before = await readOperator(dataFolder);
  const store = await storeOf({ storeUrl, ...first });
  const object = { Bucket: first.bucketName, Key: 'videos/a' };
  await store.send(new PutObjectCommand({ ...object, Body: 'x' }));
  const url = await getSignedUrl(store, new GetObjectCommand(object));
  await first.close();
  await start({ port });
  expect(await readOperator(dataFolder)).toEqual(before);
  expect(await (await fetch(url)).text()).toBe('x');
});

test('a second instance on the same data folder is rejected and does not affect the first', async () => {
  const first = await start();
  await expect(start()).rejects.toMatchObject({
    name: 'CannotStart',
    message: `The data folder ${dataFolder} is in use by another instance: stop it, or set DATA_DIR to another folder.`,
  });
  expect(await noteOf(first, 'admin')).toBe('a@example.com');
});

test('the error for a port in use names the port, and the data folder is unlocked', async () => {
  const taken = createServer();
  const port = await listen(taken, 0);
  await expect(start({ port })).rejects.toMatchObject({
    name: 'CannotStart',
    message: `Port ${port} is in use: stop the program that uses it, or set PORT to another number.`,
  });
  taken.close();
  await start();
});

test('the error for a data folder that cannot be created names it', async () => {
  const file = join(dataFolder, 'file');
  await writeFile(file, '');
  await expect(start({ dataFolder: join(file, 'data') })).rejects.toMatchObject({
    name: 'CannotStart',
    message: `The data folder ${join(file, 'data')} cannot be written (ENOTDIR): set DATA_DIR to a folder that you may write.`,
  });
});
