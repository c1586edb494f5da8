import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { zeroMatrices } from '../encoder-task/support/clips/mp4.ts';
import { type Client, signUp } from './support/client.ts';
import { runOrThrow } from './support/ffmpeg.ts';
import { frames, playbackErrors } from './support/measure.ts';
import { hlsOf } from './support/templates.ts';

const clip = inject('clip');
const partBytes = 16 * 2 ** 20;
let folder: string;
let client: Client;
let template: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrong-files-'));
  client = await signUp(inject('apiUrl'));
  template = await client.makeTemplate(hlsOf([360]));
});

afterAll(() => rm(folder, { recursive: true }));

test.each<[string, string, (file: string) => Promise<void>]>([
  ['a text', 'INPUT_NOT_MEDIA', (file) => writeFile(file, 'This is no video, whatever it is called.\n'.repeat(1000))],
  [
    'a playlist that names another file',
    'INPUT_NOT_MEDIA',
    (file) => writeFile(file, '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n'),
  ],
  ['a video that breaks off before its index', 'INPUT_TRUNCATED', (file) => halfOfClip(file, [])],
  [
    'a video that breaks off behind its index',
    'INPUT_TRUNCATED',
    (file) => halfOfClip(file, ['-movflags', '+faststart']),
  ],
])('%s fails with %s and a sentence for its uploader', async (_, code, make) => {
  const video = await client.waitUntilDone(await upload(make));
  expect(video.status).toBe('failed');
  expect(video.streams.find(({ type }) => type === 'original')?.error_log).toMatch(
    new RegExp(`^${code}: [A-Z][^\\n]+\\.$`),
  );
});

// A container without an index cannot distinguish a truncated file from a short one.
test('a truncated recording becomes a video of the existing part, not of the declared length', async () => {
  const ulid = await upload((file) => halfOfClip(file, ['-f', 'matroska']));
  const video = await client.waitUntilDone(ulid);
  expect(video.status).toBe('completed');
  const { hls } = await client.sources(ulid);
  expect(await playbackErrors(hls!)).toEqual([]);
  const shown = (await frames(hls!, 360)).map(({ number }) => number);
  expect(shown.length).toBeGreaterThan(clip.frames / 4);
  expect(shown.length).toBeLessThan(clip.frames * (3 / 4));
  // frames before the break may need frames after it
  expect(shown.slice(0, -4)).toEqual(Array.from(shown.slice(0, -4), (_, number) => number));
  expect(video.duration).toBeLessThan(clip.durationSeconds * (3 / 4));
});

test('a file whose display matrix is zero is encoded whole and upright and delays no other job', async () => {
  const ulid = await upload(async (file) => {
    const bytes = await readFile(clip.file);
    zeroMatrices(bytes);
    await writeFile(file, bytes);
  });
  const video = await client.waitUntilDone(ulid);
  expect(video.status).toBe('completed');
  const { hls } = await client.sources(ulid);
  expect(await playbackErrors(hls!)).toEqual([]);
  // The numbers are drawn along the top of the frame.
  expect((await frames(hls!, 360)).map(({ number }) => number)).toEqual(
    Array.from({ length: clip.frames }, (_, n) => n),
  );
});

test('an empty file is refused before a video exists', async () => {
  const answer = await sendForm('empty.mp4', Buffer.alloc(0));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('EntityTooSmall')]);
});

test('a file sent as a form becomes a video like one sent in parts', async () => {
  const answer = await sendForm('clip.mp4', await readFile(clip.file));
  expect(answer.status).toBe(201);
  const [, upload] = /\/uploads\/\w+\/(\w+)\//.exec(answer.headers.get('location')!)!;
  expect(await client.waitUntilDone(upload!)).toMatchObject({ status: 'completed', name: 'clip.mp4' });
});

async function upload(make: (file: string) => Promise<void>): Promise<string> {
  const file = join(folder, 'clip.mp4');
  await make(file);
  return client.upload({ file, template, partBytes });
}

async function sendForm(name: string, bytes: Buffer<ArrayBuffer>): Promise<Response> {
  const { url, fields } = await client.postForm(name, template);
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([bytes]), name);
  return fetch(url, { method: 'POST', body: form });
}

async function halfOfClip(file: string, muxerArgs: string[]): Promise<void> {
  await runOrThrow('ffmpeg', ['-y', '-i', clip.file, '-c', 'copy', ...muxerArgs, file]);
  await truncate(file, Math.floor((await stat(file)).size / 2));
}
