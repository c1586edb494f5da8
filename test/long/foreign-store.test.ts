import { appendFile, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { credentials } from 'embedded-aws/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReference } from '../../lab/references/servers.ts';
import { type Client, signUp } from '../journey/support/client.ts';
import { type Service, startService } from '../journey/support/service.ts';
import { makeSourceClip } from '../journey/support/source-clip.ts';
import { hlsOf } from '../journey/support/templates.ts';

// Storages, ingests from them and deliveries with versitygw, a store with the API of S3 that others have written.

type Created = { data: { ulid: string } };
type Tested = { data: { ok: boolean; steps: { step: string; ok: boolean; code?: string }[] } };
type Batch = { data: { status: string; created: number; skipped: number; stored: number } };
type Delivery = { status: string; files: number; error: string | null };

const Bucket = 'films';
let folder: string;
let gateway: Awaited<ReturnType<typeof startReference>>;
let store: S3Client;
let service: Service;
let client: Client;
let storage: string;
let template: string;
/** so large that it is copied in parts */
let large: string;

const put = (Key: string, Body: Buffer | string) => store.send(new PutObjectCommand({ Bucket, Key, Body }));
const keysBelow = async (Prefix: string): Promise<string[]> =>
  ((await store.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).flatMap(({ Key }) => Key ?? []);
async function bytesOf(Key: string): Promise<Buffer> {
  const { Body } = await store.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from(await Body!.transformToByteArray());
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foreign-store-'));
  gateway = await startReference('versitygw');
  // It does not answer `Expect: 100-continue`, so that each larger body would wait for six seconds.
  store = new S3Client({
    endpoint: gateway.endpoint,
    region: 'eu-west-1',
    credentials,
    forcePathStyle: true,
    expectContinueHeader: false,
  });
  await store.send(new CreateBucketCommand({ Bucket }));
  const clip = await makeSourceClip(join(folder, 'clip.mp4'), { durationSeconds: 4 });
  large = join(folder, 'large.mp4');
  await copyFile(clip.file, large);
  // A box without content, which players skip.
  const free = Buffer.alloc(20 * 2 ** 20, 7);
  free.writeUInt32BE(free.length, 0);
  free.write('free', 4);
  await appendFile(large, free);
  service = await startService({ dataFolder: join(folder, 'data') });
  client = await signUp(service.apiUrl);
  const fields = { name: 'Foreign', endpoint: gateway.endpoint, region: 'eu-west-1', bucket: Bucket, prefix: 'media/' };
  const keys = { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey };
  storage = (await client.post<Created>('/api/storages', { ...fields, ...keys })).data.ulid;
  template = await client.makeTemplate(hlsOf([240]));
  await put('media/in/a.mp4', await readFile(clip.file));
  await put('media/in/b/c d+é.mp4', await readFile(clip.file));
  await put('media/in/empty.mp4', '');
  await put('media/in/folder/', '');
});
afterAll(async () => {
  await service?.stop();
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the test of a storage passes, and names a wrong secret and a wrong bucket', async () => {
  const tried = async () => (await client.post<Tested>(`/api/storages/${storage}/test`, {})).data;
  expect(await tried()).toMatchObject({ ok: true, steps: Array(5).fill({ ok: true }) });
  expect(await keysBelow('media/storage-test')).toEqual([]);
  const change = (fields: object) => client.put(`/api/storages/${storage}`, fields);
  await change({ secret_access_key: 'wrong' });
  expect((await tried()).steps.at(-1)).toMatchObject({ step: 'write', code: 'credentials_refused' });
  await change({ secret_access_key: credentials.secretAccessKey, bucket: 'others' });
  expect((await tried()).steps.at(-1)).toMatchObject({ step: 'write', code: 'no_bucket' });
  await change({ bucket: Bucket });
});

test('an object and a prefix become videos', async () => {
  const one = { storage, key: 'media/in/a.mp4', metadata: { template } };
  const { ulid } = (await client.post<Created>('/api/ingests', one)).data;
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', name: 'a.mp4' });
  const all = { storage, prefix: 'media/in/', metadata: { template } };
  const batch = (await client.post<Created>('/api/ingests/batch', all)).data.ulid;
  await expect
    .poll(async () => (await client.get<Batch>(`/api/ingests/batch/${batch}`)).data)
    .toMatchObject({ status: 'completed', created: 2, stored: 2, skipped: 2 });
});

test('the files of a video are copied byte by byte, also in parts', async () => {
  const ulid = await client.upload({ file: large, template, partBytes: 16 * 2 ** 20 });
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  await client.post(`/api/videos/${ulid}/deliveries`, { storage, path: 'out/{ulid}/{output}/', also: ['original'] });
  const find = async () => (await client.get<{ data: Delivery[] }>(`/api/videos/${ulid}/deliveries`)).data[0]!;
  await expect.poll(async () => (await find()).status).not.toMatch(/pending|running/);
  expect(await find()).toMatchObject({ status: 'completed', error: null });

  const root = `media/out/${ulid}/`;
  const keys = await keysBelow(root);
  expect(keys).toHaveLength((await find()).files);
  const original = keys.find((key) => key.startsWith(`${root}original/`))!;
  expect((await bytesOf(original)).equals(await readFile(large))).toBe(true);
  // An upload in parts has an ETag of its own kind.
  const { ETag } = await store.send(new HeadObjectCommand({ Bucket, Key: original }));
  expect(ETag).toMatch(/-3"$/);
  expect((await store.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []).toEqual([]);

  // Segments are in the folder of the video, and playlists in one of their own, from which they name segments.
  const { hls: playback = '' } = await client.sources(ulid);
  const media = playback.slice(0, playback.indexOf(ulid) + ulid.length + 1);
  const fromFolder = (text: Buffer): string => text.toString('latin1').replaceAll('../', '');
  const played = keys.filter((key) => key.startsWith(`${root}hls/`));
  expect(played.length).toBeGreaterThan(5);
  for (const key of played) {
    const path = key.slice(`${root}hls/`.length);
    const isPlaylist = path.endsWith('.m3u8');
    const response = await fetch(isPlaylist ? new URL(path, playback) : `${media}${path}`);
    expect(response.status, key).toBe(200);
    const [delivered, copied] = [Buffer.from(await response.arrayBuffer()), await bytesOf(key)];
    if (isPlaylist) expect(fromFolder(copied), key).toBe(fromFolder(delivered));
    else expect(copied.equals(delivered), key).toBe(true);
    const { ContentType } = await store.send(new HeadObjectCommand({ Bucket, Key: key }));
    expect(ContentType, key).toBe(response.headers.get('content-type'));
  }
});
