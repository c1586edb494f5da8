import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient, createToken } from '../../../infra/client/api-client.ts';
import { processFiles } from '../../../infra/local/files/process-files.ts';
import { reportLines } from '../../../infra/local/files/report-lines.ts';
import { listen } from '../../../infra/local/server/listen.ts';

type Answer = { status?: number; headers?: Record<string, string | string[]>; body?: unknown };
type Handler = (request: IncomingMessage, body: Buffer) => Answer;

let folder: string;
let server: Server;
let address: string;
let handlers: Record<string, Handler>;
let asked: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-'));
  asked = [];
  handlers = {};
  server = createServer(async (request, response) => {
    const name = `${request.method} ${request.url}`;
    asked.push(name);
    const body = await buffer(request);
    const answer = handlers[name]?.(request, body) ?? { status: 404, body: { message: 'Not found.' } };
    response.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body ?? {}));
  });
  address = `http://127.0.0.1:${await listen(server, 0)}`;
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** An API that accepts the upload of one file in parts of 4 bytes; `seen` are the successive states of the video. */
function serveUpload(seen: object[]): { parts: Record<string, string>; completed: () => unknown } {
  const parts: Record<string, string> = {};
  let completed: unknown;
  const path = '/api/objstore/multipart';
  handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid: 'T', name: 'npm start' }] } });
  handlers[`POST ${path}`] = () => ({ body: { ulid: 'V', uploadId: 'U', suggestedPartSize: 4 } });
  handlers[`POST ${path}/U/complete`] = (_, body) => {
    completed = JSON.parse(body.toString());
    return {};
  };
  for (const number of [1, 2, 3]) {
    handlers[`GET ${path}/U/${number}`] = () => ({ body: { url: `${address}/store/${number}` } });
    handlers[`PUT /store/${number}`] = (_, body) => {
      parts[number] = body.toString();
      return { headers: { etag: `"${number}"` } };
    };
  }
  handlers['GET /api/videos/V'] = () => {
    const video = seen.length > 1 ? seen.shift() : seen[0];
    return video ? { body: { data: video } } : { status: 404, body: { message: 'Not found.' } };
  };
  return { parts, completed: () => completed };
}
const video = { ulid: 'V', name: 'a.mp4', streams: [], outputs: [] };

async function process(text: string) {
  const path = join(folder, 'a.mp4');
  await writeFile(path, text);
  const shown: string[] = [];
  const progress = {
    show: (name: string, share: number, note: string) => shown.push(`${name} ${share} ${note}`),
    say: () => {},
    stop: () => {},
  };
  const client = createClient(address, 'token');
  return { results: await processFiles([{ path, name: 'a.mp4', sizeBytes: text.length }], client, progress), shown };
}

test('a token is created with the session cookie of the login', async () => {
  handlers['POST /login'] = () => ({ headers: { 'set-cookie': ['session=1; HttpOnly', 'b=2'] } });
  handlers['POST /api/tokens'] = ({ headers }) => ({ status: 201, body: { token: `for ${headers.cookie}` } });
  expect(await createToken(address, { email: 'a', password: 'b' }, 'x')).toBe('for session=1; b=2');
});

test('a wrong password is reported with the message of the API', async () => {
  handlers['POST /login'] = () => ({ status: 422, body: { message: 'These credentials do not match our records.' } });
  await expect(createToken(address, { email: 'a', password: 'b' }, 'x')).rejects.toMatchObject({
    name: 'ApiRefused',
    status: 422,
    message: 'These credentials do not match our records.',
  });
});

test('a template is created if none has its name', async () => {
  handlers['GET /api/templates'] = () => ({ body: { data: [{ ulid: 'A', name: 'other' }] } });
  handlers['POST /api/templates'] = (_, body) => ({
    status: 201,
    body: { data: { ulid: 'B', ...JSON.parse(body.toString()) } },
  });
  const client = createClient(address, 'token');
  expect([await client.ensureTemplate('mine', {}), await client.ensureTemplate('other', {})]).toEqual(['B', 'A']);
});

test('a file is uploaded in parts, completed in their order, and polled until its URLs play', async () => {
  const outputs = [{ ulid: 'O', name: 'hls', format: 'hls', status: 'running', progress: 50, error_log: null }];
  const done = { ...video, status: 'completed', outputs: [] };
  const upload = serveUpload([undefined as never, { ...video, status: 'running', outputs }, done]);
  const url = 'http://127.0.0.1:1/s/k1.1.s.sig/videos/V/O/master.m3u8';
  const poster = 'http://127.0.0.1:1/s/k1.1.s.sig/videos/V/thumbnails/poster.jpg';
  handlers['GET /api/videos/V/sources'] = () => ({
    body: { sources: [{ format: 'hls', name: 'hls', url }], poster_url: poster },
  });

  const { results, shown } = await process('0123456789');
  expect(upload.parts).toEqual({ 1: '0123', 2: '4567', 3: '89' });
  expect(upload.completed()).toEqual({
    parts: [1, 2, 3].map((PartNumber) => ({ PartNumber, ETag: `"${PartNumber}"` })),
  });
  expect(results).toEqual([{ name: 'a.mp4', sources: [{ format: 'hls', name: 'hls', url }], poster }]);
  expect(shown).toContain('a.mp4 upload 1 ');
  expect(shown).toContain('a.mp4 hls 0.5 running');
});

test('a part that the store refuses once is signed and uploaded again', async () => {
  const upload = serveUpload([{ ...video, status: 'completed' }]);
  handlers['GET /api/videos/V/sources'] = () => ({ body: { sources: [], poster_url: null } });
  const put = handlers['PUT /store/1']!;
  let refused = false;
  handlers['PUT /store/1'] = (request, body) => {
    if (refused) return put(request, body);
    refused = true;
    return { status: 503 };
  };
  await process('0123');
  expect(upload.parts).toEqual({ 1: '0123' });
  expect(asked.filter((name) => name.endsWith('/U/1'))).toHaveLength(2);
});

test.each([
  ['the source stream', { streams: [{ type: 'original', error_log: 'The file is cut off.' }] }, 'The file is cut off.'],
  [
    'an output',
    { outputs: [{ ulid: 'O', name: 'hls', format: 'hls', status: 'failed', progress: 0, error_log: 'No.' }] },
    'No.',
  ],
  ['nothing', {}, 'The service gave no reason.'],
])('a failed video reports its reason, from %s', async (_, more, failure) => {
  serveUpload([{ ...video, status: 'failed', ...more }]);
  const { results } = await process('0123');
  expect(results).toEqual([{ name: 'a.mp4', sources: [], poster: undefined, failure }]);
});

test('a failed output is reported with its reason beside those that play', async () => {
  const output = { progress: 100, error_log: null };
  const outputs = [
    { ...output, ulid: 'O', name: 'hls', format: 'hls', status: 'completed' },
    { ...output, ulid: 'P', name: 'file', format: 'mp4', status: 'failed', error_log: 'DISK_FULL: No room.' },
  ];
  serveUpload([{ ...video, status: 'completed', outputs }]);
  const sources = [{ format: 'hls', name: 'hls', url: 'http://127.0.0.1:1/master.m3u8' }];
  handlers['GET /api/videos/V/sources'] = () => ({ body: { sources, poster_url: null } });
  const { results } = await process('0123');
  expect(results).toMatchObject([{ sources, failed: [{ name: 'file', reason: 'DISK_FULL: No room.' }] }]);
  expect(reportLines(results[0]!)).toEqual({
    stdout: ['\na.mp4 plays at, for the next 6 hours:', '  hls    http://127.0.0.1:1/master.m3u8'],
    stderr: ['a.mp4: the output file failed: DISK_FULL: No room.'],
  });
});

test('a file without playable outputs is reported with its reason only', () => {
  const nothing = { name: 'a.mp4', sources: [], poster: undefined, failure: 'The file is cut off.' };
  expect(reportLines(nothing)).toEqual({ stdout: [], stderr: ['a.mp4 failed: The file is cut off.'] });
});

test('an upload that the API refuses fails only its own file', async () => {
  serveUpload([]);
  handlers['POST /api/objstore/multipart'] = () => ({ status: 429, body: { message: 'Too Many Attempts.' } });
  expect((await process('0123')).results).toMatchObject([{ failure: 'Too Many Attempts.' }]);
});

test('a response with Retry-After is retried', async () => {
  serveUpload([{ ...video, status: 'completed' }]);
  handlers['GET /api/videos/V/sources'] = () => ({ body: { sources: [] } });
  const create = handlers['POST /api/objstore/multipart']!;
  let refused = 0;
  handlers['POST /api/objstore/multipart'] = (request, body) =>
    refused++ === 0
      ? { status: 429, headers: { 'retry-after': '0' }, body: { message: 'Too Many Attempts.' } }
      : create(request, body);
  expect((await process('0123')).results).toMatchObject([{ sources: [] }]);
  expect(refused).toBe(2);
});
