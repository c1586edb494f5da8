import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../journey/support/browser.ts';
import { type Client, signUp } from '../../journey/support/client.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { type Clip, makeSourceClip } from '../../journey/support/source-clip.ts';

// The starter is encoded in a moment. Both rungs together take about as long as the video plays on two cores, and much
// longer than estimated: noise needs many bits.
const query = {
  version: 1,
  video: [
    { name: 'v360', codec: 'h264', height: 360, bitrate: '400k', preset: 'ultrafast' },
    { name: 'v240', codec: 'h264', height: 240, crf: 18, preset: 'slower' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k', channels: 2 }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
  ],
};

const run = promisify(execFile);

let folder: string;
let clip: Clip;
/** The clip three times. */
let long: { file: string; durationSeconds: number };
let service: Service;
let client: Client;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'early-playback-'));
  clip = await makeSourceClip(join(folder, 'source.mp4'), { durationSeconds: 30, width: 640, height: 360 });
  long = { file: join(folder, 'long.mp4'), durationSeconds: 3 * clip.durationSeconds };
  await run('ffmpeg', ['-stream_loop', '2', '-i', clip.file, '-c', 'copy', long.file]);
  service = await startService({ dataFolder: join(folder, 'data') });
  [client, browser] = await Promise.all([signUp(service.apiUrl), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

// One rung that is encoded about as fast as it plays, so that a seek goes beyond what is encoded.
const slowQuery = {
  ...query,
  video: [{ name: 'v360', codec: 'h264', height: 360, crf: 18, preset: 'slower' }],
  outputs: [{ name: 'hls', format: 'hls', segment_duration: 2 }],
};

type Sources = { sources: { format: string; status: string; url: string }[] };
const sourcesOf = async (ulid: string) => (await client.get<Sources>(`/api/videos/${ulid}/sources`)).sources;

test('a video plays while it is encoded, to its end without waiting, under the URL that it keeps', async () => {
  const ulid = await client.upload({ file: long.file, template: await client.makeTemplate(query), partBytes: 2 ** 24 });
  const isPlayable = ({ playable_at }: { playable_at: string | null }) => playable_at !== null;
  const playing = await client.waitFor(ulid, isPlayable, { everyMs: 200 });
  const [early] = await sourcesOf(ulid);
  expect([playing.status, early!.format, early!.status]).toEqual(['running', 'hls', 'running']);

  const watched = await Promise.all(
    (['hls', 'shaka'] as const).map((player) =>
      browser.watch({ url: early!.url, player, seconds: Math.floor(long.durationSeconds) }),
    ),
  );
  for (const { longestStallMs, gaps } of watched) {
    expect(longestStallMs).toBeLessThan(500);
    expect(gaps).toBe(0);
  }

  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed', playable_at: playing.playable_at });
  const completed = await sourcesOf(ulid);
  expect(completed.map(({ format, status }) => [format, status])).toEqual([
    ['hls', 'completed'],
    ['dash', 'completed'],
  ]);
  // Each response has another signature.
  const fileOf = (url: string) => new URL(url).pathname.split('/').slice(3).join('/');
  expect(fileOf(completed[0]!.url)).toBe(fileOf(early!.url));
  const seen = await browser.play({ url: early!.url, format: 'hls', playSeconds: Infinity, rate: 4 });
  expect(seen).toMatchObject({ ended: true, errors: [] });
  expect(seen.duration).toBeCloseTo(long.durationSeconds, 1);
});

test.each(['hls', 'shaka'] as const)(
  'a seek beyond the encoded part goes on, and plays to the end: %s',
  async (player) => {
    const { ulid, url } = await playSlowly();
    const toSeconds = clip.durationSeconds - 3;
    const { playsAtSeconds, atTheEnd } = await browser.seekAhead({ url, player, toSeconds });
    expect(playsAtSeconds).toBeLessThan(clip.durationSeconds + 0.1);
    expect(atTheEnd).toMatchObject({ ended: true, errors: [] });
    expect(atTheEnd.currentTime).toBeCloseTo(clip.durationSeconds, 0);
    expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
  },
);

test('ffmpeg that seeks beyond the encoded part reads to the end', async () => {
  const { ulid, url } = await playSlowly();
  const seconds = clip.durationSeconds - 3;
  const { stderr } = await run('ffmpeg', ['-ss', String(seconds), '-i', url, '-map', '0:v:0', '-f', 'null', '-']);
  const frames = Number(/.*frame= *(\d+)/s.exec(stderr)![1]);
  expect(frames).toBeGreaterThan(0);
  expect(await client.waitUntilDone(ulid)).toMatchObject({ status: 'completed' });
});

/** A video that plays while it is encoded slowly. */
async function playSlowly(): Promise<{ ulid: string; url: string }> {
  const template = await client.makeTemplate(slowQuery);
  const ulid = await client.upload({ file: clip.file, template, partBytes: 2 ** 24 });
  await client.waitFor(ulid, ({ playable_at }) => playable_at !== null, { everyMs: 200 });
  const [early] = await sourcesOf(ulid);
  expect(early!.status).toBe('running');
  return { ulid, url: early!.url };
}
