import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type SourceHandler, type SourceServer, serveFile, startSource } from '../fixtures/servers/source-server.ts';
import { type Client, Refused, signUp } from './support/client.ts';
import { streamsOf } from './support/templates.ts';

type Ingest = { ulid: string; status: string; size: number | null; bytes_received: number; error: string | null };

const clip = inject('clip');
const query = { ...streamsOf([240]), outputs: [{ format: 'mp4' }] };
let client: Client;
let template: string;
let server: SourceServer;
let handle: SourceHandler = (_, response) => void response.writeHead(500).end();
beforeAll(async () => {
  client = await signUp(inject('apiUrl'));
  template = await client.makeTemplate(query);
  server = await startSource((...call) => handle(...call));
});
afterAll(() => server.close());

const ingest = async (path: string): Promise<string> =>
  (await client.post<{ data: Ingest }>('/api/ingests', { url: server.url(path), metadata: { template } })).data.ulid;
const find = async (ulid: string): Promise<Ingest> => (await client.get<{ data: Ingest }>(`/api/ingests/${ulid}`)).data;

test('a file at a URL becomes a video, in parallel ranges', async () => {
  const body = await readFile(clip.file);
  handle = serveFile(body);
  const ulid = await ingest('holiday%20film.mp4?token=secret');
  await expect.poll(async () => (await find(ulid)).status).toBe('stored');
  expect(await find(ulid)).toMatchObject({ size: body.length, bytes_received: body.length, error: null });
  const video = await client.waitUntilDone(ulid);
  expect(video).toMatchObject({ status: 'completed', name: 'holiday film.mp4' });
  const usage = await client.usageOfToday();
  expect(usage.find(({ metric }) => metric === 'upload_bytes')?.value).toBe(body.length);
});

test('one ingest of a user runs at a time, and a deleted one stops and lets the next begin', async () => {
  const begun = server.requests.length;
  // It never ends.
  handle = (_, response) => void response.writeHead(200, { 'content-length': 1e9 }).write(Buffer.alloc(1e6));
  const endless = await ingest('endless.mp4');
  await expect.poll(() => server.requests.length).toBe(begun + 1);
  const next = await ingest('gone.mp4');
  const { data } = await client.get<{ data: { ulid: string; kind: string }[] }>('/api/uploads');
  expect(data).toMatchObject([
    { ulid: next, kind: 'ingest' },
    { ulid: endless, kind: 'ingest' },
  ]);
  expect(await find(next)).toMatchObject({ status: 'pending' });
  handle = (_, response) => void response.writeHead(404).end();
  await client.remove(`/api/ingests/${endless}`);
  await expect
    .poll(() => find(next))
    .toMatchObject({
      status: 'failed',
      error: 'INPUT_GONE: The server of the URL has no such file: it answered with status 404.',
    });
  await expect(find(endless)).rejects.toThrow(Refused);
  expect(await client.get('/api/uploads')).toMatchObject({ data: [] });
});

test('the ingests of servers that trickle, of more users than there are workers, stop no encode', async () => {
  handle = (_, response) => {
    response.writeHead(200, { 'content-length': 1e9 });
    const trickle = setInterval(() => response.write(Buffer.alloc(20_000)), 1000);
    response.once('close', () => clearInterval(trickle));
  };
  const others = await Promise.all([1, 2].map(() => signUp(inject('apiUrl'))));
  const trickling: { other: Client; ulid: string }[] = [];
  for (const other of others) {
    const metadata = { template: await other.makeTemplate(query) };
    const body = { url: server.url('slow.mp4'), metadata };
    trickling.push({ other, ulid: (await other.post<{ data: Ingest }>('/api/ingests', body)).data.ulid });
  }
  const statuses = (): Promise<string[]> =>
    Promise.all(
      trickling.map(async ({ other, ulid }) => (await other.get<{ data: Ingest }>(`/api/ingests/${ulid}`)).data.status),
    );
  await expect.poll(statuses).toContain('fetching');
  const video = await client.waitUntilDone(await client.upload({ file: clip.file, template, partBytes: 16 * 2 ** 20 }));
  expect(video).toMatchObject({ status: 'completed' });
  expect(await statuses()).toContain('fetching');
  for (const { other, ulid } of trickling) await other.remove(`/api/ingests/${ulid}`);
});
