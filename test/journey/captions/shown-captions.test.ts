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
let editedUlid: string;
let folder: string;
let browser: Awaited<ReturnType<typeof openBrowser>>;

/** The first frame that the edit list of the second source presents; it is in the middle of a group of pictures. */
const firstEditedFrame = 39;
const secondsOf = (frame: number): number => (frame * frameRate.den) / frameRate.num;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'captions-'));
  // The clip with a start that is not zero: captions are timed from the first frame that a viewer sees.
  const file = join(folder, 'late.ts');
  await runOrThrow('ffmpeg', ['-y', '-i', clip.file, '-c', 'copy', '-output_ts_offset', '20', '-f', 'mpegts', file]);
  // An MP4 whose edit list leaves out what is before that frame.
  const edited = join(folder, 'edited.mp4');
  const cut = ['-ss', String(secondsOf(firstEditedFrame)), '-i', clip.file, '-c', 'copy'];
  await runOrThrow('ffmpeg', ['-y', ...cut, edited]);
  [client, browser] = await Promise.all([signUp(apiUrl), openBrowser()]);
  const outputs = [
    { name: 'hls', format: 'hls', segment_duration: 2 },
    { name: 'ts', format: 'hls', container: 'ts', segment_duration: 2 },
    { name: 'dash', format: 'dash', segment_duration: 2 },
  ];
  const template = await client.makeTemplate({ ...streamsOf([240]), outputs });
  [ulid, editedUlid] = await Promise.all([publish(file, template), publish(edited, template)]);
});

/** Uploads a video and captions that name each second. */
async function publish(file: string, template: string): Promise<string> {
  const created = await client.upload({ file, template, partBytes: 16 * 2 ** 20 });
  await client.waitUntilDone(created);
  const name = (index: number): string =>
    `00:${String(index).padStart(2, '0')}.000 --> 00:${String(index).padStart(2, '0')}.900`;
  const cues = Array.from({ length: 12 }, (_, index) => `${name(index)}\nsecond ${index}\n`);
  const answer = await fetch(`${apiUrl}/api/videos/${created}/captions/en`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/vtt' },
    body: ['WEBVTT', '', ...cues].join('\n'),
  });
  expect(answer.status).toBe(201);
  return created;
}

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

const urlOf = async (name: string, of = ulid): Promise<string> => {
  const { sources } = await client.get<{ sources: (Source & { name: string })[] }>(`/api/videos/${of}/sources`);
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
    const frameOffset = frameSeconds - secondsOf(frame);
    const cueOffset = cueSeconds - Number(text.split(' ')[1]);
    expect(Math.abs(cueOffset - frameOffset)).toBeLessThan(0.04);
  }
});

test('captions of an MP4 with an edit list are timed from the first frame that it presents', async () => {
  const shown = await browser.captionsAt({ url: await urlOf('hls', editedUlid), player: 'hls', seconds: [2.5, 8.5] });
  expect(shown.map(({ text }) => text)).toEqual(['second 2', 'second 8']);
  for (const { frame, frameSeconds, text, cueSeconds } of shown) {
    const frameOffset = frameSeconds - secondsOf(frame - firstEditedFrame);
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
