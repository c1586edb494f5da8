import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openItems } from 'embedded-aws';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Behaviour, type HostileStore, startHostileStore } from '../fixtures/servers/hostile-store.ts';
import { type Client, signUp } from './support/client.ts';
import { type Service, startService } from './support/service.ts';
import { streamsOf } from './support/templates.ts';

type Ingest = { ulid: string; status: string; error: string | null };
type Delivery = { status: string; error: string | null };
type Tested = { data: { ok: boolean; steps: { step: string; ok: boolean; code?: string }[] } };

const clip = inject('clip');
const query = { ...streamsOf([240]), outputs: [{ format: 'mp4' }] };
const secret = 'Zm9yIG5vYm9keS1lbHNlLXRoYW4tdGhpcy10ZXN0';
const secondSecret = 'YW5vdGhlci1zZWNyZXQtb2YtdGhpcy10ZXN0LWFsb25l';

let folder: string;
let service: Service;
let client: Client;
let store: HostileStore;
let behaviour: Behaviour | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storages-'));
  service = await startService({ dataFolder: join(folder, 'data'), env: { WORKERS: '1' } });
  client = await signUp(service.apiUrl);
  store = await startHostileStore('films', () => behaviour);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

test('a file in a storage becomes a video, whose files are copied back, and no secret is in what the service writes', async () => {
  const template = await client.makeTemplate(query);
  const fields = { name: 'Films', endpoint: store.endpoint, region: 'us-east-1', bucket: 'films', prefix: 'in/' };
  const keys = { access_key_id: 'AKIAJOURNEY', secret_access_key: secret };
  const created = await client.post<{ data: { ulid: string } }>('/api/storages', { ...fields, ...keys });
  const storage = created.data.ulid;
  expect(await client.post<Tested>(`/api/storages/${storage}/test`, {})).toMatchObject({ data: { ok: true } });
  await client.put(`/api/storages/${storage}`, { secret_access_key: secondSecret });

  store.objects.set('in/holiday.mp4', { body: await readFile(clip.file), headers: {} });
  const ingest = async (key: string): Promise<string> =>
    (await client.post<{ data: Ingest }>('/api/ingests', { storage, key, metadata: { template } })).data.ulid;
  const find = async (ulid: string) => (await client.get<{ data: Ingest }>(`/api/ingests/${ulid}`)).data;
  const ulid = await ingest('in/holiday.mp4');
  await expect.poll(async () => (await find(ulid)).status).toBe('stored');
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', name: 'holiday.mp4' });
  expect(
    store.calls.every(({ headers, query: sent }) => headers.authorization ?? sent.get('X-Amz-Signature')),
  ).toBeTruthy();

  const deliver = (path: string) =>
    client.post(`/api/videos/${ulid}/deliveries`, { storage, path, also: ['original', 'metadata'] });
  const lastDelivery = async () => (await client.get<{ data: Delivery[] }>(`/api/videos/${ulid}/deliveries`)).data[0]!;
  await deliver('out/{ulid}/{output}/');
  await expect.poll(lastDelivery).toMatchObject({ status: 'completed', error: null });
  expect([...store.objects.keys()].filter((key) => key.startsWith(`in/out/${ulid}/`))).toHaveLength(3);

  const gone = await ingest('in/missing.mp4');
  await expect
    .poll(() => find(gone))
    .toMatchObject({ status: 'failed', error: expect.stringContaining('The storage "Films" has no object') });
  behaviour = 'forbidden';
  await deliver('refused/{ulid}/');
  await expect
    .poll(lastDelivery)
    .toMatchObject({ status: 'failed', error: expect.stringContaining('may not do this in the bucket') });
  const tested = await client.post<Tested>(`/api/storages/${storage}/test`, {});
  expect(tested.data.steps.at(-1)).toMatchObject({ step: 'write', code: 'no_permission' });

  const shown = ['/api/events', '/api/activity-log', '/api/ingests', `/api/videos/${ulid}/deliveries`, '/api/storages'];
  const written = [
    ...(await Promise.all(shown.map(async (path) => JSON.stringify(await client.get<object>(path))))),
    ...service.output,
    ...service.errors,
  ];
  await service.stop();
  const backup = join(folder, 'backup');
  await promisify(execFile)(process.execPath, ['local/backup/run.mjs', 'backup', backup], {
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
  });
  const files = [...(await contentsOf(join(folder, 'data'))), ...(await contentsOf(backup))];
  const items = await itemsOf(join(folder, 'data'));
  expect(files.length).toBeGreaterThan(10);
  // Both searches find what is there.
  expect(items.join()).toContain('AKIAJOURNEY');
  expect(files.some((bytes) => bytes.includes('holiday.mp4'))).toBe(true);
  // A URL with one of these is as good as the secret for half an hour.
  const signatures = [...new Set(store.calls.flatMap(({ query: sent }) => sent.get('X-Amz-Signature') ?? []))];
  expect(signatures.length).toBeGreaterThan(5);
  for (const hidden of [secret, secondSecret, ...signatures]) {
    const forms = [hidden, Buffer.from(hidden).toString('base64'), Buffer.from(hidden).toString('hex')];
    for (const form of forms) {
      expect([...written, ...items].filter((text) => text.includes(form))).toEqual([]);
      expect(files.filter((bytes) => bytes.includes(form))).toEqual([]);
    }
  }
});

/** Compressed files also as they were before. */
async function contentsOf(of: string): Promise<Buffer[]> {
  const entries = await readdir(of, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
  return read.flatMap((bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? [bytes, gunzipSync(bytes)] : [bytes]));
}

async function itemsOf(dataFolder: string): Promise<string[]> {
  const opened = (await openItems(dataFolder))!;
  try {
    const texts: string[] = [];
    for await (const entry of opened.readEntries()) texts.push(JSON.stringify(entry));
    return texts;
  } finally {
    await opened.close();
  }
}
