import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { listen } from '../../../local/server/listen.ts';
import { findChromium } from '../uppy/find-chromium.ts';

/** The state of the page's video element. */
export type Seen = {
  errors: string[];
  /** the first frame is shown and the video is not paused */
  isPlaying: boolean;
  currentTime: number;
  duration: number;
  ended: boolean;
  videoWidth: number;
  videoHeight: number;
  totalVideoFrames: number;
  droppedVideoFrames: number;
  decodedAudioBytes: number;
  /** of the selected audio track, as the player reports it */
  language?: string;
};

type Play = {
  url: string;
  /** `shaka` is HLS by Shaka Player */
  format: 'hls' | 'shaka' | 'dash' | 'mp4';
  /** start position; the beginning by default */
  fromSeconds?: number;
  /** how much to play, Infinity for all; one second by default */
  playSeconds?: number;
  /** playback rate */
  rate?: number;
  /** writes a PNG of the page at the end, for manual inspection */
  screenshotFile?: string;
};

type Watch = { url: string; player: 'hls' | 'shaka'; seconds: number };

/** How a video played from its start. */
export type Watched = {
  /** when the first frame was shown, in milliseconds since 1970 */
  firstFrameAtMs: number;
  /** how often and how long playback waited after it began */
  stalls: number;
  longestStallMs: number;
  /** how often the player passed over a gap between segments */
  gaps: number;
  currentTime: number;
};

type OpenPlayer = {
  url: string;
  player: 'hls' | 'shaka';
  /** hls.js shall not choose variants with more than two channels */
  isStereo?: boolean;
  /** acts on the page before the player loads */
  prepare?: (page: Page) => Promise<void>;
};

/** A page with a player, for a test with its own actions. */
export type PlayerPage = {
  page: Page;
  /** @throws when the player reports an error that it does not recover from, or makes no progress */
  until(reached: (seen: Seen & Watched) => boolean): Promise<Seen & Watched>;
};

type SeekAhead = { url: string; player: 'hls' | 'shaka'; toSeconds: number };

type Captions = { url: string; player: 'hls' | 'shaka'; seconds: number[] };

/** The cue and the frame that a player shows. */
export type ShownCaption = {
  text: string;
  /** where the player has put the start of the cue */
  cueSeconds: number;
  /** the number that is drawn in the frame (see `source-clip.ts`), and the time at which the player shows it */
  frame: number;
  frameSeconds: number;
};

type Menus = {
  url: string;
  format: 'hls' | 'dash';
  heights: [small: number, large: number];
  language: string;
  jumpSeconds: number;
};

const longestWaitMs = 120_000;
/** A video that is watched may take this much longer than it lasts. */
const watchPatience = 3;
const lookEveryMs = 100;

const require = createRequire(import.meta.url);
const pageFiles: Record<string, { file: string; type: string }> = {
  '/': { file: join(import.meta.dirname, 'player.html'), type: 'text/html' },
  '/hls.js': { file: require.resolve('hls.js/dist/hls.min.js'), type: 'text/javascript' },
  '/shaka.js': { file: require.resolve('shaka-player/dist/shaka-player.compiled.js'), type: 'text/javascript' },
};

const mediaTypes: Record<string, string> = { '.m3u8': 'application/vnd.apple.mpegurl', '.mpd': 'application/dash+xml' };

/**
 * Headless Chromium with a player page on a separate origin, so that playback needs correct CORS headers. Files of
 * `mediaFolder` are served below `mediaUrl`.
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
     * Plays a URL for the requested time, or to its end.
     * @throws when the player reports an error or does not reach that time
     */
    async play({ url, format, fromSeconds = 0, playSeconds = 1, rate = 1, screenshotFile }: Play): Promise<Seen> {
      const page = await browser.newPage();
      const look = () => page.evaluate<Seen>('look()');
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format, url, rate: String(rate) })}`);
        if (fromSeconds > 0) {
          // before playback starts, a player may still replace the position with its own start
          await until(look, ({ isPlaying }) => isPlaying);
          await page.evaluate(`jumpTo(${fromSeconds})`);
        }
        const seen = await until(look, ({ currentTime, ended }) => ended || currentTime >= fromSeconds + playSeconds);
        if (screenshotFile) await page.screenshot({ path: screenshotFile });
        return seen;
      } finally {
        await page.close();
      }
    },

    /** Plays HLS from the start for some seconds by hls.js or Shaka Player, and notes when it waits. */
    async watch({ url, player, seconds }: Watch): Promise<Watched> {
      const page = await browser.newPage();
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format: player, url, rate: '1' })}`);
        const look = async () => withoutRecovered(await page.evaluate<Seen & Watched>('look()'));
        await until(look, ({ currentTime, ended }) => ended || currentTime >= seconds, watchPatience * seconds * 1000);
        return await look();
      } finally {
        await page.close();
      }
    },

    /** Opens HLS or DASH in hls.js or Shaka Player. */
    async openPlayer({ url, player, isStereo = false, prepare }: OpenPlayer): Promise<PlayerPage> {
      const page = await browser.newPage();
      page.setDefaultTimeout(longestWaitMs);
      await prepare?.(page);
      const query = { format: player, url, rate: '1', ...(isStereo && { stereo: '' }) };
      await page.goto(`${origin}/?${new URLSearchParams(query)}`);
      const look = async () => withoutRecovered(await page.evaluate<Seen & Watched>('look()'));
      return { page, until: (reached) => until(look, reached) };
    },

    /**
     * Seeks ahead as soon as the video plays, possibly beyond what is encoded so far, and waits until it plays there or
     * at the end of the encoded part, then until it ends.
     */
    async seekAhead({ url, player, toSeconds }: SeekAhead): Promise<{ playsAtSeconds: number; atTheEnd: Seen }> {
      const page = await browser.newPage();
      const look = async () => withoutRecovered(await page.evaluate<Seen>('look()'));
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format: player, url, rate: '1' })}`);
        await until(look, ({ currentTime }) => currentTime > 0.5);
        await page.evaluate(`jumpTo(${toSeconds})`);
        const { currentTime } = await look();
        const { currentTime: playsAtSeconds } = await until(
          look,
          (seen) => seen.ended || seen.currentTime > currentTime + 0.3,
        );
        return { playsAtSeconds, atTheEnd: await until(look, ({ ended }) => ended) };
      } finally {
        await page.close();
      }
    },

    /** Selects the first text track, seeks to each time, and reads what the player shows there. */
    async captionsAt({ url, player, seconds }: Captions): Promise<ShownCaption[]> {
      const page = await browser.newPage();
      const look = () => page.evaluate<Seen>('look()');
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format: player, url, rate: '1' })}`);
        await until(look, ({ isPlaying }) => isPlaying);
        await page.evaluate('showText()');
        const shown: ShownCaption[] = [];
        for (const time of seconds) {
          const caption = () => page.evaluate<ShownCaption | null>('shownCaption()');
          await page.evaluate(`stopAt(${time})`);
          for (const endMs = Date.now() + longestWaitMs; ; await sleep(lookEveryMs)) {
            const found = await caption();
            if (found) {
              shown.push(found);
              break;
            }
            if (Date.now() > endMs) throw new Error(`No caption at ${time} s: ${JSON.stringify(await look())}`);
          }
        }
        return shown;
      } finally {
        await page.close();
      }
    },

    /** Opens a page of the service and waits until its script shows something. Returns what the console reports. */
    async openPage(url: string): Promise<{ heading: string | null; errors: string[] }> {
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', (error) => errors.push(String(error)));
      page.on('console', (message) => {
        // The page asks who is signed in, and the browser reports the response 401.
        const isSession = message.location().url.endsWith('/api/me');
        if (message.type() === 'error' && !isSession) errors.push(`${message.text()} ${message.location().url}`);
      });
      try {
        await page.goto(url, { timeout: longestWaitMs });
        const heading = page.locator('#app h1').first();
        await heading.waitFor({ timeout: longestWaitMs });
        await page.waitForLoadState('networkidle', { timeout: longestWaitMs });
        return { heading: await heading.textContent(), errors };
      } finally {
        await page.close();
      }
    },

    /**
     * Acts as a viewer during playback: switches size and language, seeks, and switches back. Throws when one of them
     * has no effect.
     */
    async useMenus({ url, format, heights: [small, large], language, jumpSeconds }: Menus): Promise<Seen> {
      const page = await browser.newPage();
      const look = () => page.evaluate<Seen>('look()');
      const chooseHeight = async (height: number) => {
        await page.evaluate(`choose.height(${height})`);
        await until(look, ({ videoHeight }) => videoHeight === height);
      };
      try {
        await page.goto(`${origin}/?${new URLSearchParams({ format, url, rate: '1' })}`);
        await until(look, ({ isPlaying }) => isPlaying);
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

/** Waiting for the next segment is an error of hls.js that it recovers from. */
const withoutRecovered = <State extends Seen>(seen: State): State => ({
  ...seen,
  errors: seen.errors.filter((error) => !error.includes('fatal=false')),
});

async function until<State extends Seen>(
  look: () => Promise<State>,
  reached: (seen: State) => boolean,
  atMostMs = 0,
): Promise<State> {
  const endMs = Date.now() + Math.max(longestWaitMs, atMostMs);
  for (;;) {
    const seen = await look();
    if (seen.errors.length > 0) throw new Error(`The player says: ${seen.errors.join('; ')}`);
    if (reached(seen)) return seen;
    if (Date.now() > endMs) throw new Error(`The player does not get on: ${JSON.stringify(seen)}`);
    await sleep(lookEveryMs);
  }
}
