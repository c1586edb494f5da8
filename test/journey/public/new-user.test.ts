import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, type Refused, signUp } from '../support/client.ts';
import { sendFrom } from '../support/send-from.ts';
import { type Service, startService } from '../support/service.ts';

// What a newly registered user of a public installation cannot do.

let folder: string;
let service: Service;
let client: Client;
let template: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'new-user-'));
  const env = { PUBLIC_URL: 'https://video.example.com' };
  service = await startService({ dataFolder: join(folder, 'data'), env });
  client = await signUp(service.apiUrl);
  const adopted = await client.post<{ data: { ulid: string } }>('/api/template-presets/hls-auto-1080p/adopt', {});
  template = adopted.data.ulid;
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

const statusOf = (sent: Promise<unknown>): Promise<number> =>
  sent.then(
    () => 200,
    (error: Refused) => error.status,
  );

test('webhooks and ingests do not reach what the machine serves to itself', async () => {
  let requests = 0;
  const inside = createServer((_, response) => {
    requests += 1;
    response.end('secret');
  }).listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const { port } = inside.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433']) {
    const url = `http://${host}:${port}/`;
    expect(await statusOf(client.post('/api/webhooks', { name: 'x', url, events: ['*'] }))).toBe(422);
    expect(await statusOf(client.post('/api/ingests', { url, metadata: { template } }))).toBe(422);
  }
  expect(requests).toBe(0);
  inside.close();
});

test('an upload token with max_bytes takes no more, also before the upload is complete', async () => {
  const { data } = await client.post<{ data: { upload_token: string } }>('/api/direct-uploads', {
    template,
    max_bytes: 200_000,
  });
  const headers = { authorization: `Bearer ${data.upload_token}`, 'content-type': 'application/json' };
  const create = (body: object) =>
    fetch(`${service.apiUrl}/api/objstore/multipart`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect((await create({ filename: 'a.mp4' })).status).toBe(422);
  const { uploadId } = (await (await create({ filename: 'a.mp4', size: 200_000 })).json()) as { uploadId: string };
  const part = (number: number) => fetch(`${service.apiUrl}/api/objstore/multipart/${uploadId}/${number}`, { headers });
  expect((await part(2)).status).toBe(422);
  const { url } = (await (await part(1)).json()) as { url: string };
  expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
});

test('1,000 half-open requests of one address do not take the service from another', async () => {
  const port = Number(new URL(service.apiUrl).port);
  const flood = Array.from({ length: 1000 }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => {});
    socket.write('GET /health HTTP/1.1\r\nHost: a\r\n');
    return socket;
  });
  const other = sendFrom({ localAddress: '127.0.0.3' });
  for (let asked = 0; asked < 20; asked++) {
    expect((await other(`${service.apiUrl}/health`, {})).status).toBe(200);
  }
  for (const socket of flood) socket.destroy();
});
