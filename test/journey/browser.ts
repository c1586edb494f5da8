import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { listen } from '../../infra/local/server/listen.ts';
import { findChromium } from './uppy/find-chromium.ts';

/** What the page's video element tells of itself. */
export type Seen = {
  errors: string[];
  currentTime: number;
  duration: number;
  ended: boolean;
  videoWidth: number;
  videoHeight: number;
  totalVideoFrames: number;
  droppedVideoFrames: number;
  decodedAudioBytes: number;
  /** of the sound that is played, as the player has it */
  language?: string;
};

type Play = {
  url: string;
  format: 'hls' | 'dash' | 'mp4';
  /** where playing starts; the beginning unless given */
  fromSeconds?: number;
  /** how much of it is played, Infinity for all; one second unless given */
  playSeconds?: number;
  /** how fast */
  rate?: number;
  /** a PNG of the page at the end, for a person to look at */
  screenshotFile?: string;
};

type Menus = {
  url: string;
  format: 'hls' | 'dash';
  heights: [small: number, large: number];
  language: string;
  jumpSeconds: number;
};

const longestWaitMs = 120_000;
const lookEveryMs = 100;

const require = createRequire(import.meta.url);
const pageFiles: Record<string, { file: string; type: string }> = {
  '/': { file: join(import.meta.dirname, 'player.html'), type: 'text/html' },
  '/hls.js': { file: require.resolve('hls.js/dist/hls.min.js'), type: 'text/javascript' },
  '/shaka.js': { file: require.resolve('shaka-player/dist/shaka-player.compiled.js'), type: 'text/javascript' },
};

const mediaTypes: Record<string, string> = { '.m3u8': 'application/vnd.apple.mpegurl', '.mpd': 'application/dash+xml' };

/**
 * Headless Chromium with a player page of an origin of its own, so that playing needs the right CORS headers. What lies in `mediaFolder` is under
 * `mediaUrl`.
 */
export async function openBrowser({ mediaFolder }: { mediaFolder?: string } = {}) {
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!;
    const media =
      mediaFolder !== undefined && path.startsWith('/media/') && join(mediaFolder, path.slice('/media/'.length));
    const found = media ? { file: media, type: mediaTypes[extname(path)] ?? 'video/mp4' } : pageFiles[path];
    if (!found) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': found.type });
    createReadStream(found.file).pipe(response);
  });
  const origin = `http://127.0.0.1:${await listen(server, 0)}`;
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--autoplay-policy=no-user-gesture-required'],
    ],
  });

  return {
    mediaUrl: `${origin}/media/`,

    /**
     * Plays a URL until its time has moved on as far as asked, or to its end.
     * @throws when the player meets an error or does not get that far
     */
    async play({ url, format, fromSeconds = 0, playSeconds = 1, rate = 1, screenshotFile }: Play): Promise<Seen> {
      const page = await browser.newPage();
      const look = () => page.evaluate<Seen>('look()');
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format, url, rate: String(rate) })}`);
        if (fromSeconds > 0) {
          // before it plays, a player may still take its own start for the position
          await until(look, ({ currentTime }) => currentTime > 0);
          await page.evaluate(`jumpTo(${fromSeconds})`);
        }
        const seen = await until(look, ({ currentTime, ended }) => ended || currentTime >= fromSeconds + playSeconds);
        if (screenshotFile) await page.screenshot({ path: screenshotFile });
        return seen;
      } finally {
        await page.close();
      }
    },

    /** Does what viewers do while it plays: another size, another language, a jump, and the first size again. Throws when one of them does not come. */
    async useMenus({ url, format, heights: [small, large], language, jumpSeconds }: Menus): Promise<Seen> {
      const page = await browser.newPage();
      const look = () => page.evaluate<Seen>('look()');
      const chooseHeight = async (height: number) => {
        await page.evaluate(`choose.height(${height})`);
        await until(look, ({ videoHeight }) => videoHeight === height);
      };
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format, url, rate: '1' })}`);
        await until(look, ({ currentTime }) => currentTime > 0);
        await chooseHeight(small);
        await chooseHeight(large);
        await page.evaluate(`choose.language(${JSON.stringify(language)})`);
        const { currentTime } = await until(look, (seen) => seen.language === language);
        await until(look, (seen) => seen.currentTime > currentTime + 0.3);
        await page.evaluate(`jumpTo(${jumpSeconds})`);
        await until(look, (seen) => seen.currentTime > jumpSeconds + 0.3);
        await chooseHeight(small);
        return await until(look, (seen) => seen.currentTime > jumpSeconds + 0.6);
      } finally {
        await page.close();
      }
    },

    async close(): Promise<void> {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function until(look: () => Promise<Seen>, reached: (seen: Seen) => boolean): Promise<Seen> {
  const endMs = Date.now() + longestWaitMs;
  for (;;) {
    const seen = await look();
    if (seen.errors.length > 0) throw new Error(`The player says: ${seen.errors.join('; ')}`);
    if (reached(seen)) return seen;
    if (Date.now() > endMs) throw new Error(`The player does not get on: ${JSON.stringify(seen)}`);
    await sleep(lookEveryMs);
  }
}
