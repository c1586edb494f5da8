import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { prepareCli } from '../../support/run-cli.ts';

const ulid = '01K9Z3P6M8N9P0Q1R2S3T4V5W6';
const caption = {
  ulid,
  language: 'de',
  kind: 'captions',
  label: 'Deutsch',
  default: true,
  origin: 'upload',
  status: 'completed',
  error: null,
  url: 'https://edge.test/de.vtt',
};
const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHallo\n';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'captions-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

test('captions are listed, also those that could not be read', async () => {
  const { cli, service } = prepareCli();
  const failed = { ...caption, language: 'en', default: false, status: 'failed', error: 'It is damaged.', url: null };
  service.handlers[`GET /api/videos/${ulid}/captions`] = () => ({ body: { data: [caption, failed] } });
  const { code, stdout } = await cli(['captions', ulid.toLowerCase()]);
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['LANGUAGE', 'KIND', 'ORIGIN', 'STATUS', 'LABEL'],
    ['de', 'captions', 'upload', 'Ready', 'Deutsch (default)'],
    ['en', 'captions', 'upload', 'Failed', 'Deutsch: It is damaged.'],
    [''],
  ]);
  expect((await cli(['captions', ulid, '--json'])).json()).toEqual([{ data: [caption, failed] }]);
});

test.each([
  ['text/vtt', 'a.VTT', Buffer.from(vtt)],
  ['application/x-subrip', 'a.srt', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHallo\n')],
  ['application/x-subrip', 'b.vtt', Buffer.from(`\ufeff${vtt}`, 'utf16le')],
])('a file is sent as %s, byte for byte (%s)', async (type, name, content) => {
  const { cli, service } = prepareCli();
  let sent: unknown[] = [];
  const query = 'kind=subtitles&default=true&label=Mein%20Text';
  service.handlers[`PUT /api/videos/${ulid}/captions/pt-BR?${query}`] = async (request: Request) => {
    sent = [request.headers.get('content-type'), Buffer.from(await request.arrayBuffer())];
    return { status: 201, body: { data: { ...caption, kind: 'subtitles', language: 'pt-BR' } } };
  };
  const options = ['-l', 'pt-BR', '--kind', 'subtitles', '--label', 'Mein Text', '--default'];
  const ended = await cli(['captions', 'add', ulid, await fileOf(name, content), ...options]);
  expect([ended.code, ended.stderr, ended.stdout]).toEqual([0, '', `${ulid}: subtitles pt-BR stored (Deutsch)\n`]);
  expect(sent).toEqual([type, content]);
});

test('captions are deleted by language and kind', async () => {
  const { cli, service } = prepareCli();
  service.handlers[`DELETE /api/videos/${ulid}/captions/de?kind=captions`] = () => ({ status: 204 });
  const ended = await cli(['captions', 'delete', ulid, '--language', 'de', '--json']);
  expect([ended.code, ended.json()]).toEqual([0, [{ type: 'deleted', ulid, language: 'de', kind: 'captions' }]]);
});

test.each([
  [['captions', 'V'], "'V' is not the ULID of a video."],
  [['captions', 'add', ulid], 'ULID FILE is missing.'],
  [['captions', 'add', ulid, 'a.vtt'], '--language is missing'],
  [['captions', 'add', ulid, '/none.vtt', '-l', 'de'], '/none.vtt cannot be read (ENOENT).'],
  [
    ['captions', 'delete', ulid, '-l', 'de', '--kind', 'x'],
    "--kind is one of captions, subtitles, forced, chapters, not 'x'.",
  ],
])('%j is wrong usage', async (argv, message) => {
  const ended = await prepareCli().cli(argv);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain(message);
});

test('captions from speech are requested, and waited for until they are made', async () => {
  const { cli, service } = prepareCli();
  const pending = { ...caption, language: 'und', origin: 'generated', status: 'pending', url: null };
  const bodies: unknown[] = [];
  service.handlers[`POST /api/videos/${ulid}/captions/generate`] = async (request: Request) => {
    bodies.push(await request.json());
    return { status: 202, body: { data: pending } };
  };
  expect(await cli(['captions', 'generate', ulid, '-l', 'de', '--replace'])).toMatchObject({
    code: 0,
    stdout: `${ulid}: captions from speech are being made\n`,
  });
  const made = { ...caption, origin: 'generated', label: 'German (automatic)' };
  service.handlers[`GET /api/videos/${ulid}/captions`] = () => ({ body: { data: [made] } });
  expect((await cli(['captions', 'generate', ulid, '--wait'])).stdout).toBe(
    `${ulid}: captions de stored (German (automatic))\n`,
  );
  expect(bodies).toEqual([{ language: 'de', replace: true }, {}]);
});

test.each([
  [{ ...caption, status: 'failed', error: 'Nobody speaks in the video.', url: null }, 'Nobody speaks in the video.'],
  [{ ...caption, ulid: '01K9Z3P6M8N9P0Q1R2S3T4V5W7' }, 'no longer being made'],
])('a wait for captions from speech ends with the reason for which there are none', async (listed, reason) => {
  const { cli, service } = prepareCli();
  service.handlers[`POST /api/videos/${ulid}/captions/generate`] = () => ({ status: 202, body: { data: caption } });
  service.handlers[`GET /api/videos/${ulid}/captions`] = () => ({ body: { data: [listed] } });
  const { code, stderr } = await cli(['captions', 'generate', ulid, '--wait']);
  expect(code).toBe(1);
  expect(stderr).toContain(reason);
});

test('captions are printed as text', async () => {
  const { cli, service } = prepareCli();
  const text = '[00:00:01.000] Hallo\n[00:00:02.000] Welt\n';
  service.handlers[`GET /api/videos/${ulid}/captions/de/text?kind=captions`] = () => ({ body: text });
  expect((await cli(['captions', 'text', ulid, '-l', 'de', '--json'])).json()).toEqual([
    { ulid, language: 'de', text: JSON.stringify(text) },
  ]);
});
