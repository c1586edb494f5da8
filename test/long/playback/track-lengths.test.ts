import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type LengthCase,
  lengthCases,
  lengthsQuery,
  writeLengthCase,
} from '../../encoder-task/support/clips/length-cases.ts';
import { beepingAudio, numberedVideo } from '../../encoder-task/support/clips/numbered.ts';
import { makeOutputs } from '../../encoder-task/support/make-outputs.ts';
import { startStore, type TestStore } from '../../encoder-task/support/store.ts';
import { openBrowser } from '../../journey/support/browser.ts';

const run = promisify(execFile);
type PlayedCase = [string, Omit<LengthCase, 'shownAt' | 'beeps'> & { preset?: string }];
let folder: string;
let store: TestStore;
let browser: Awaited<ReturnType<typeof openBrowser>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'track-lengths-'));
  store = await startStore();
  browser = await openBrowser({ mediaFolder: folder });
});

afterAll(async () => {
  await browser.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const players = [
  ['HLS, hls.js', 'hls/master.m3u8', 'hls'],
  ['HLS, Shaka Player', 'hls/master.m3u8', 'shaka'],
  ['HLS of transport stream segments, hls.js', 'ts/master.m3u8', 'hls'],
  ['DASH, Shaka Player', 'dash/manifest.mpd', 'dash'],
  ['MP4, Chromium', 'mp4/video.mp4', 'mp4'],
] as const;

/**
 * With segments of 2 s, the last one of the pictures has so many frames. The sound starts a part of a frame earlier, so
 * that playlists have dates.
 */
const shortLastSegments = ['one frame', 'two frames', 'three frames'].map((frames, index): PlayedCase => {
  const seconds = 4 + (index + 1) / 25;
  const file = `last-${index + 1}.ts`;
  return [
    `a last segment of ${frames}`,
    { file, video: numberedVideo(seconds), audio: beepingAudio(seconds), seconds },
  ];
});

/** As many frames as decoding is ahead of the presentation. */
const reorderedLastSegment: PlayedCase = [
  'a last segment of two reordered frames',
  {
    file: 'reordered.mp4',
    video: numberedVideo(4 + 2 / 30, { rate: '30' }),
    audio: beepingAudio(4 + 2 / 30),
    seconds: 4 + 2 / 30,
    fps: 30,
    preset: 'medium',
  },
];

/** A frame of the slowest case is a second long, and players end with the last frame or with the last sound. */
const toleranceSeconds = (fps: number): number => 1 / fps + 0.1;

test.each<PlayedCase>([...lengthCases, ...shortLastSegments, reorderedLastSegment])(
  'a source with %s plays to its end in every player',
  async (name, source) => {
    const file = join(folder, source.file);
    await writeLengthCase(source, file);
    store.objects.clear();
    const video = lengthsQuery.video.map((one) => ({ ...one, preset: source.preset ?? one.preset }));
    await makeOutputs(store, file, { ...lengthsQuery, video }, join(folder, 'case'));
    const { seconds, fps = 25 } = source;
    const row: Record<string, number> = {};
    for (const [player, path, format] of players) {
      const url = `${browser.mediaUrl}case/outputs/${path}`;
      const { ended, errors, currentTime, duration } = await browser.play({
        url,
        format,
        playSeconds: Infinity,
        rate: 4,
      });
      expect({ player, ended, errors }).toEqual({ player, ended: true, errors: [] });
      expect(Math.abs(duration - seconds)).toBeLessThan(toleranceSeconds(fps));
      row[player] = Math.round(currentTime * 100) / 100;
    }
    for (const path of ['hls/master.m3u8', 'ts/master.m3u8', 'mp4/video.mp4']) {
      for (const stream of ['v:0', 'a:0']) row[`ffmpeg, ${path} ${stream}`] = await decodedSeconds(path, stream);
    }
    for (const playedSeconds of Object.values(row)) {
      expect(Math.abs(playedSeconds - seconds)).toBeLessThan(toleranceSeconds(fps));
    }
    console.info(name, `${seconds} s`, row);
  },
);

/** How long a track is that ffmpeg decodes without a message. */
async function decodedSeconds(path: string, stream: string): Promise<number> {
  const { stdout, stderr } = await run('ffmpeg', [
    ...['-nostdin', '-v', 'error', '-i', join(folder, 'case/outputs', path), '-map', `0:${stream}`],
    ...['-f', 'null', '-progress', 'pipe:1', '-'],
  ]);
  expect(stderr).toBe('');
  const [, time] = /out_time_us=(\d+)\n(?!.*out_time_us)/s.exec(stdout)!;
  return Math.round(Number(time) / 1e4) / 100;
}
