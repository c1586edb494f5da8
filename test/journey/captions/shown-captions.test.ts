import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { type Client, type Source, signUp } from '../support/client.ts';
import { runOrThrow } from '../support/ffmpeg.ts';
import { frameRate } from '../support/source-clip.ts';
import { streamsOf } from '../support/templates.ts';

const apiUrl = inject('apiUrl');
const clip = inject('clip');
let client: Client;
let ulid: string;
let folder: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'captions-'));
  // The clip with a start that is not zero: captions are timed from the first frame that a viewer sees.
  const file = join(folder, 'late.ts');
  await runOrThrow('ffmpeg', ['-y', '-i', clip.file, '-c', 'copy', '-output_ts_offset', '20', '-f', 'mpegts', file]);
  [client, browser] = await Promise.all([signUp(apiUrl), openBrowser()]);
  const outputs = [
    { name: 'hls', format: 'hls', segment_duration: 2 },
    { name: 'ts', format: 'hls', container: 'ts', segment_duration: 2 },
    { name: 'dash', format: 'dash', segment_duration: 2 },
  ];
  const template = await client.makeTemplate({ ...streamsOf([240]), outputs });
  ulid = await client.upload({ file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(ulid);
  const name = (index: number): string =>
    `00:${String(index).padStart(2, '0')}.000 --> 00:${String(index).padStart(2, '0')}.900`;
  const cues = Array.from({ length: 12 }, (_, index) => `${name(index)}\nsecond ${index}\n`);
  const answer = await fetch(`${apiUrl}/api/videos/${ulid}/captions/en`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/vtt' },
    body: ['WEBVTT', '', ...cues].join('\n'),
  });
  expect(answer.status).toBe(201);
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = async (name: string): Promise<string> => {
  const { sources } = await client.get<{ sources: (Source & { name: string })[] }>(`/api/videos/${ulid}/sources`);
  return sources.find((source) => source.name === name)!.url;
};

test.each([
  ['HLS', 'hls.js', 'hls', 'hls'],
  ['HLS', 'shaka-player', 'hls', 'shaka'],
  ['HLS of MPEG-TS', 'hls.js', 'ts', 'hls'],
  ['DASH', 'shaka-player', 'dash', 'shaka'],
] as const)('%s in %s shows each cue at its frame', async (_, __, name, player) => {
  const shown = await browser.captionsAt({ url: await urlOf(name), player, seconds: [2.5, 10.5] });
  expect(shown.map(({ text }) => text)).toEqual(['second 2', 'second 10']);
  for (const { frame, frameSeconds, text, cueSeconds } of shown) {
    // How far the frames and the cues of the player are from those of the file.
    const frameOffset = frameSeconds - (frame * frameRate.den) / frameRate.num;
    const cueOffset = cueSeconds - Number(text.split(' ')[1]);
    expect(Math.abs(cueOffset - frameOffset)).toBeLessThan(0.04);
  }
});

test('captions of a public video have stable URLs, which end with the video', async () => {
  await client.put(`/api/videos/${ulid}`, { playback: 'public' });
  const { data } = await client.get<{ data: { url: string }[] }>(`/api/videos/${ulid}/captions`);
  const url = data[0]!.url;
  expect(new URL(url).pathname).toMatch(new RegExp(`^/p/${ulid}/captions/.*/en\\.vtt$`));
  const status = async () => (await fetch(url)).status;
  await expect.poll(status).toBe(200);
  await client.remove(`/api/videos/${ulid}`);
  await expect.poll(status, { interval: 1000 }).not.toBe(200);
});
