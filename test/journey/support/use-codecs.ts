import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeOutputs } from '../../encoder-task/support/make-outputs.ts';
import { startStore } from '../../encoder-task/support/store.ts';
import { openBrowser } from './browser.ts';
import { runOrThrow } from './ffmpeg.ts';
import { type BrowserCodec, codecOutputs } from './templates.ts';

/** Tests that viewers can use the menus of players with these codecs. `makeClip` returns a file of 12 seconds. */
export function testMenus(codecs: readonly BrowserCodec[], makeClip: (folder: string) => Promise<string>): void {
  let folder: string;
  let browser: Awaited<ReturnType<typeof openBrowser>>;

  /** The clip with two audio tracks, English and German, encoded by the workers' code without a service. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'codecs-'));
    const bilingual = join(folder, 'bilingual.mp4');
    await runOrThrow('ffmpeg', [
      ...['-i', await makeClip(folder), '-map', '0:v', '-map', '0:a', '-map', '0:a', '-c', 'copy'],
      ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu', bilingual],
    ]);
    const mediaFolder = join(folder, 'media');
    const store = await startStore();
    await makeOutputs(store, bilingual, codecOutputs(codecs), mediaFolder);
    await store.close();
    browser = await openBrowser({ mediaFolder });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true });
  });

  describe.each(codecs)('%s', (codec) => {
    test.each([
      ['hls', 'master.m3u8'],
      ['dash', 'manifest.mpd'],
    ] as const)('as %s: viewers select size and language, and seek', async (format, entry) => {
      const url = `${browser.mediaUrl}outputs/${format}-${codec}/${entry}`;
      const seen = await browser.useMenus({ url, format, heights: [144, 240], language: 'de', jumpSeconds: 8 });
      expect(seen).toMatchObject({ errors: [], videoHeight: 144, language: 'de' });
      expect(seen.decodedAudioBytes).toBeGreaterThan(0);
    });
  });
}
