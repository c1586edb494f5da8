import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeOutputs } from '../encoder-task/support/make-outputs.ts';
import { startStore } from '../encoder-task/support/store.ts';
import { openBrowser } from './support/browser.ts';
import { runOrThrow } from './support/ffmpeg.ts';
import { testMenus } from './support/use-codecs.ts';

// One codec that no other journey plays. test/long/playback/browser-codecs.test.ts has all of them.
testMenus(['vp9'], async () => inject('clip').file);

/** English in 5.1, and a German description that the file marks as default. */
const tracks: [language: string, layout: string, disposition: string][] = [
  ['eng', '5.1', '0'],
  ['deu', 'stereo', 'default+visual_impaired'],
];

const query = {
  video: [{ name: 'v', codec: 'h264', width: 256, crf: 40, preset: 'ultrafast', gop: 1 }],
  audio: [2, 6].map((channels) => ({
    name: `of${channels}`,
    codec: 'aac',
    languages: 'all',
    channels,
    bitrate: `${64 * channels}k`,
  })),
  outputs: ['hls', 'dash'].map((format) => ({ format, segment_duration: 1 })),
};

describe('audio tracks', () => {
  let folder: string;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  /** Encoded by the workers' code without a service. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'audio-tracks-'));
    const source = join(folder, 'source.mkv');
    await runOrThrow('ffmpeg', [
      ...['-f', 'lavfi', '-i', 'testsrc2=s=256x144:r=25:d=3', '-f', 'lavfi', '-i', 'sine=d=3:r=48000'],
      '-filter_complex',
      tracks.map(([, layout], n) => `[1]aformat=channel_layouts=${layout}[a${n}]`).join(';'),
      ...['-map', '0', ...tracks.flatMap((_, n) => ['-map', `[a${n}]`])],
      ...tracks.flatMap(([language, , disposition], n) => [
        ...[`-metadata:s:a:${n}`, `language=${language}`, `-disposition:a:${n}`, disposition],
      ]),
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'flac', source],
    ]);
    const store = await startStore();
    await makeOutputs(store, source, query, join(folder, 'media'));
    await store.close();
    browser = await openBrowser({ mediaFolder: join(folder, 'media') });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    ['HLS, by hls.js', 'hls', 'outputs/hls/master.m3u8'],
    ['HLS, by shaka-player', 'shaka', 'outputs/hls/master.m3u8'],
    ['DASH, by shaka-player', 'shaka', 'outputs/dash/manifest.mpd'],
  ] as const)('%s: all are listed, and viewers of stereo load no 5.1', async (_, player, path) => {
    const url = `${browser.mediaUrl}${path}`;
    const { page, until } = await browser.openPlayer({ url, player, isStereo: true });
    const seen = await until(({ currentTime }) => currentTime > 2);
    expect(seen).toMatchObject({ language: 'en', errors: [] });
    const menu = await page.evaluate<{ name: string; channels: number }[]>('audioMenu()');
    const stereo = menu.filter(({ channels }) => channels === 2).map(({ name }) => name);
    expect(new Set(stereo)).toEqual(new Set(['English', 'German (audio description)']));
    const loaded = await page.evaluate<string[]>('loadedFiles()');
    expect(loaded.some((file) => file.includes('/of2-en/'))).toBe(true);
    expect(loaded.filter((file) => file.includes('/of6'))).toEqual([]);
    await page.close();
  });
});
