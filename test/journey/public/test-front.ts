import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePorts } from '../../fixtures/servers/find-free-ports.ts';
import { type Client, signUp, type Video } from '../support/client.ts';
import { frames } from '../support/measure.ts';
import { sendFrom } from '../support/send-from.ts';
import { type Service, startService } from '../support/service.ts';
import type { Clip } from '../support/source-clip.ts';
import { streamsOf } from '../support/templates.ts';
import { type Front, type FrontProgram, startFront } from './front.ts';

const query = { ...streamsOf([360]), outputs: [{ format: 'hls', segment_duration: 2 }, { format: 'mp4' }] };
const partBytes = 5 * 2 ** 20;
/** A forged X-Forwarded-For of the client. */
const spoofed = '203.0.113.9';
/** The client's real address. The reverse proxy's is 127.0.0.1. */
const clientAddress = '127.0.0.2';

type MakeClip = (folder: string) => Promise<Pick<Clip, 'file' | 'frames'>>;

/** Tests that the service works behind this reverse proxy as docs/public-server.md says. */
export function testFront(program: FrontProgram, makeClip: MakeClip): void {
  let folder: string;
  let clip: Awaited<ReturnType<MakeClip>>;
  let apiUrl: string;
  let plainPort: number;
  let service: Service;
  let front: Front;
  let send: ReturnType<typeof sendFrom>;
  let client: Client;
  let video: Video;
  let urls: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'public-'));
    clip = await makeClip(folder);
    const [servicePort, tlsPort] = [await findFreePorts(), await findFreePorts()];
    plainPort = tlsPort + 1;
    apiUrl = `https://video.example.com:${tlsPort}`;
    const env = { PUBLIC_URL: apiUrl, TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'INFO' };
    service = await startService({ dataFolder: join(folder, 'data'), port: servicePort, env });
    front = await startFront(program, { folder, tlsPort, plainPort, servicePort });
    const { certificate } = front;
    send = sendFrom({ localAddress: clientAddress, certificate, headers: { 'x-forwarded-for': spoofed } });
    client = await signUp(apiUrl, send);
    const template = await client.makeTemplate(query);
    video = await client.waitUntilDone(await client.upload({ file: clip.file, template, partBytes }));
    urls = await client.sources(video.ulid);
  });
  afterAll(async () => {
    await front?.stop();
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('an upload in parts becomes a video', () => {
    expect(video).toMatchObject({ status: 'completed', name: 'clip.mp4' });
  });

  test('a form uploads a file to the store under its public name', async () => {
    const template = await client.makeTemplate(query);
    const { url, fields } = await client.postForm('clip.mp4', template);
    expect(url).toMatch(/^https:\/\/store\.video\.example\.com:\d+\//);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([await readFile(clip.file)]), 'clip.mp4');
    const answer = await send(url, { method: 'POST', body: form, headers: { origin: apiUrl } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, '*']);
  });

  test('HLS plays under the public name, each frame once', async () => {
    expect(urls.hls).toMatch(/^https:\/\/video\.example\.com:\d+\/s\//);
    const read = async (url: string) => {
      const answer = await send(url, { headers: { origin: apiUrl } });
      expect([url, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([url, 200, '*']);
      expect(answer.headers.get('strict-transport-security')).toMatch(/^max-age=31536000/);
      return Buffer.from(await answer.arrayBuffer());
    };
    const linesOf = (playlist: Buffer) => playlist.toString().split('\n').filter(Boolean);
    const master = linesOf(await read(urls.hls!));
    const variant = master[master.findIndex((line) => line.startsWith('#EXT-X-STREAM-INF')) + 1]!;
    const variantUrl = new URL(variant, urls.hls).href;
    const media = linesOf(await read(variantUrl));
    const init = media.map((line) => /^#EXT-X-MAP:URI="([^"]+)"/.exec(line)?.[1]).find((uri) => uri !== undefined)!;
    const parts = [init, ...media.filter((line) => !line.startsWith('#'))];
    const bytes: Buffer[] = [];
    for (const part of parts) bytes.push(await read(new URL(part, variantUrl).href));
    const file = join(folder, 'played.mp4');
    await writeFile(file, Buffer.concat(bytes));
    expect((await frames(file, 360)).map(({ number }) => number)).toEqual(
      Array.from({ length: clip.frames }, (_, number) => number),
    );
  });

  test('the session cookie is Secure, HttpOnly and bound to one host', async () => {
    const account = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' };
    const answer = await send(`${apiUrl}/register`, {
      method: 'POST',
      body: JSON.stringify({ name: 'A', ...account, password_confirmation: account.password }),
      headers: { 'content-type': 'application/json', origin: apiUrl },
    });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^session=\w+; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=7200$/);
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    const headers = { cookie: cookie!.split(';')[0]!, origin: apiUrl, 'content-type': 'application/json' };
    const made = await send(`${apiUrl}/api/tokens`, { method: 'POST', body: '{"name":"t"}', headers });
    expect(made.status).toBe(201);
  });

  test("the access log has the client's real address whatever X-Forwarded-For it sends", async () => {
    await send(urls.mp4!, { headers: { range: 'bytes=0-3' } });
    await expect
      .poll(() => service.errors.filter((line) => line.startsWith('[edge]') && line.includes(clientAddress)).length)
      .toBeGreaterThan(0);
    expect(service.errors.filter((line) => line.includes(spoofed))).toEqual([]);
  });

  test('a forged X-Forwarded-For does not bypass the limit on wrong tokens', async () => {
    const guess = async (localAddress: string, address: string) => {
      const from = sendFrom({
        certificate: front.certificate,
        localAddress,
        headers: { 'x-forwarded-for': address },
      });
      const headers = { authorization: `Bearer ${'x'.repeat(40)}` };
      return (await from(`${apiUrl}/api/videos`, { headers })).status;
    };
    let last = 0;
    for (let count = 0; count < 150 && last !== 429; count++) last = await guess('127.0.0.3', `198.51.100.${count}`);
    expect(last).toBe(429);
    expect(await guess('127.0.0.4', '127.0.0.3')).toBe(401);
  });
}
