import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, type PlayerPage } from '../../journey/support/browser.ts';
import { type Client, type Source, signUp, type Video } from '../../journey/support/client.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { audioVideoOffsetSeconds } from '../../journey/support/measure.ts';
import { type Service, startService } from '../../journey/support/service.ts';
import { type Clip, frameRate, makeSourceClip } from '../../journey/support/source-clip.ts';

// Two rungs with the same segments: the larger one is what the source already is, the other one is encoded.
const copied = 360;
const encoded = 240;
const query = {
  copy: 'auto',
  video: [
    { name: 'v360', codec: 'h264', height: copied, bitrate: '3M' },
    { name: 'v240', codec: 'h264', height: encoded, bitrate: '400k', preset: 'ultrafast' },
  ],
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '96k' }],
  outputs: [
    { name: 'hls', format: 'hls', segment_duration: 4 },
    { name: 'ts', format: 'hls', container: 'ts', segment_duration: 4 },
    { name: 'dash', format: 'dash', segment_duration: 4 },
  ],
};

/**
 * How much later than its audio the video of the second source starts: an edit list says so. Less than a frame, because
 * a video that starts later is encoded.
 */
const lateSeconds = 0.03;
const mostOffsetSeconds = 0.04;
/** Less than half a frame. */
const mostDriftSeconds = 0.015;

let folder: string;
let clip: Clip;
let service: Service;
let client: Client;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let template: string;
/** Playback URLs by the name of the output. */
type Urls = Record<string, string>;
let plain: Urls;
let late: Urls;
const captionSeconds = [2, 10];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'copied-'));
  // B-frames, whose delay is in an edit list, and a key frame every two seconds
  clip = await makeSourceClip(join(folder, 'source.mp4'), { durationSeconds: 30, bitrate: '1M' });
  const lateFile = join(folder, 'late.mp4');
  await runOrThrow('ffmpeg', [
    ...['-itsoffset', String(lateSeconds), '-i', clip.file, '-i', clip.file],
    ...['-map', '0:v', '-map', '1:a', '-c', 'copy', lateFile],
  ]);
  service = await startService({ dataFolder: join(folder, 'data') });
  [client, browser] = await Promise.all([signUp(service.apiUrl), openBrowser()]);
  template = await client.makeTemplate(query);
  [plain, late] = await Promise.all([publish(clip.file), publish(lateFile)]);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Uploads a video, expects that its largest rung is copied, and resolves with its URLs. */
async function publish(file: string): Promise<Urls> {
  const ulid = await client.upload({ file, template, partBytes: 2 ** 24 });
  const video = await client.waitUntilDone(ulid);
  expect(copiesOf(video)).toEqual([
    ['v360', true],
    ['v240', undefined],
  ]);
  const cues = captionSeconds.map(
    (second) => `00:${String(second).padStart(2, '0')}.000 --> 00:${String(second + 1).padStart(2, '0')}.000\ntext\n`,
  );
  const answer = await fetch(`${service.apiUrl}/api/videos/${ulid}/captions/en`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'text/vtt' },
    body: ['WEBVTT', '', ...cues].join('\n'),
  });
  expect(answer.status).toBe(201);
  const { sources } = await client.get<{ sources: (Source & { name: string })[] }>(`/api/videos/${ulid}/sources`);
  return Object.fromEntries(sources.map(({ name, url }) => [name, url]));
}

const copiesOf = ({ streams }: Video): unknown[] =>
  streams.filter(({ type }) => type === 'video').map(({ name, meta }) => [name, meta.copied]);

const players = [
  ['HLS, in hls.js', 'hls', 'hls'],
  ['HLS, in shaka-player', 'hls', 'shaka'],
  ['HLS of MPEG-TS, in hls.js', 'ts', 'hls'],
  ['DASH, in shaka-player', 'dash', 'shaka'],
] as const;

type Ranges = Record<'audio' | 'video', [start: number, end: number][]>;
const bufferedIn = (page: Page) => page.evaluate<Ranges>('buffered()');

/** Changes the rung without a break, and waits until frames of it are shown. */
async function changeTo(height: number, { page, until }: PlayerPage): Promise<void> {
  await page.evaluate(`choose.nextHeight(${height})`);
  const { currentTime } = await until(({ videoHeight }) => videoHeight === height);
  await until((seen) => seen.currentTime > currentTime + 1);
}

/** Seeks, and plays for a second. */
async function jumpTo(seconds: number, { page, until }: PlayerPage): Promise<void> {
  await page.evaluate(`jumpTo(${seconds})`);
  await until(({ currentTime }) => currentTime > seconds + 1);
}

describe.each(players)('%s', (_, output, player) => {
  test('playback goes on when the copied and the encoded rung replace each other, and after seeks', async () => {
    const opened = await browser.openPlayer({ url: plain[output]!, player });
    const { page, until } = opened;
    await until(({ isPlaying }) => isPlaying);
    for (const height of [copied, encoded, copied]) await changeTo(height, opened);
    const { video } = await bufferedIn(page);
    expect(video).toHaveLength(1);
    await jumpTo(23.7, opened);
    await changeTo(encoded, opened);
    await jumpTo(2.3, opened);
    await changeTo(copied, opened);
    await jumpTo(clip.durationSeconds - 3, opened);
    const atTheEnd = await until(({ ended }) => ended);
    expect(atTheEnd).toMatchObject({ errors: [], gaps: 0 });
    // In MPEG-TS, hls.js counts from the first decode time, which is two frames of B-frames earlier.
    expect(Math.abs(atTheEnd.duration - clip.durationSeconds)).toBeLessThan(0.1);
    expect(atTheEnd.decodedAudioBytes).toBeGreaterThan(0);
    await page.close();
  });

  test('both rungs show every frame at its time, and audio and video are in sync as in the source', async () => {
    for (const height of [copied, encoded]) {
      const [ofPlain, ofLate] = [
        await inspect(plain[output]!, player, height),
        await inspect(late[output]!, player, height),
      ];
      // MPEG-TS has no negative times, so the reordering delay comes before the first frame
      for (const offset of ofPlain.frameOffsets) expect(Math.abs(offset)).toBeLessThan(mostOffsetSeconds);
      for (const { frameOffsets } of [ofPlain, ofLate]) {
        expect(Math.max(...frameOffsets) - Math.min(...frameOffsets)).toBeLessThan(mostDriftSeconds);
      }
      // hls.js begins with the video, so that both may be earlier
      const isLater = ofLate.videoAfterAudioSeconds - ofPlain.videoAfterAudioSeconds;
      expect(Math.abs(isLater - lateSeconds)).toBeLessThan(mostOffsetSeconds);
    }
  });
});

type Inspected = {
  /** how much later than in the source a frame is shown */
  frameOffsets: number[];
  /** how much later than the audio the video ends */
  videoAfterAudioSeconds: number;
};

/** Shows frames of one rung, and reads how far audio and video reach. */
async function inspect(url: string, player: 'hls' | 'shaka', height: number): Promise<Inspected> {
  const { page, until } = await browser.openPlayer({ url, player });
  await until(({ currentTime }) => currentTime > 0.5);
  await page.evaluate(`choose.height(${height})`);
  await until(({ videoHeight }) => videoHeight === height);
  const frameOffsets: number[] = [];
  // in the first segment, around the start of the second one, and later
  for (const seconds of [0.5, 3.98, 4.02, 13.3]) {
    await page.evaluate(`stopAt(${seconds})`);
    const shown = await (await page.waitForFunction('shownFrame()')).jsonValue();
    const { frame, frameSeconds } = shown as { frame: number; frameSeconds: number };
    frameOffsets.push(frameSeconds - (frame * frameRate.den) / frameRate.num);
  }
  await page.evaluate(`jumpTo(${clip.durationSeconds - 5})`);
  const ends = 'Object.values(buffered()).map((parts) => parts.at(-1)?.[1] ?? 0)';
  await page.waitForFunction(`${ends}.every((end) => end > ${clip.durationSeconds - 1})`);
  const { audio, video } = await bufferedIn(page);
  await page.close();
  return { frameOffsets, videoAfterAudioSeconds: video.at(-1)![1] - audio.at(-1)![1] };
}

test.each(players)('%s: captions of a video that starts late are shown at their frames', async (_, output, player) => {
  const shown = await browser.captionsAt({ url: late[output]!, player, seconds: captionSeconds.map((n) => n + 0.5) });
  for (const [n, { frame, frameSeconds, cueSeconds }] of shown.entries()) {
    const frameOffset = frameSeconds - lateSeconds - (frame * frameRate.den) / frameRate.num;
    expect(Math.abs(cueSeconds - captionSeconds[n]! - frameOffset)).toBeLessThan(mostOffsetSeconds);
  }
});

test.each(['hls', 'ts', 'dash'])('audio that is encoded is in sync with both rungs in %s', async (output) => {
  for (const height of [copied, encoded]) {
    const offset = await audioVideoOffsetSeconds(plain[output]!, height);
    for (const seconds of [offset.first, offset.last]) expect(Math.abs(seconds)).toBeLessThan(mostOffsetSeconds);
    const ofLate = await audioVideoOffsetSeconds(late[output]!, height);
    for (const seconds of [ofLate.first, ofLate.last]) {
      expect(Math.abs(seconds + lateSeconds)).toBeLessThan(mostOffsetSeconds);
    }
  }
});
