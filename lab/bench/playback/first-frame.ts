import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser, type Watched } from '../../../test/journey/support/browser.ts';
import { type Client, signUp } from '../../../test/journey/support/client.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { startService } from '../../../test/journey/support/service.ts';
import { median, type Row, row } from '../row.ts';
import { keepLongSources, type LongSource } from './long-sources.ts';

const partBytes = 64 * 2 ** 20;
const sourcesEveryMs = 200;
const longestWaitMs = 120_000;
/** The first segments are encoded beside the audio of the whole file, the next ones after it. */
const watchSeconds = 120;
/** Stalls do not differ as much as first frames: each player watches once, the other repeats only begin. */
const watchedRepeats = 2;
const begunSeconds = 5;

const templates = {
  'automatic ladder': { codec: 'h264' },
  '540p ladder': { codec: 'h264', max_height: 540 },
};
const queryOf = (ladder: object) => ({
  version: 1,
  ladder,
  audio: [{ name: 'stereo', codec: 'aac', bitrate: '128k', channels: 2 }],
  outputs: [{ name: 'hls', format: 'hls' }],
  thumbnails: { poster: { at: '10%' } },
});

type Player = 'hls' | 'shaka';

/** Seconds from the end of an upload to the first frame in Chromium, and how long playback waits after it. */
export async function measureFirstFrame(repeats: number): Promise<Row[]> {
  const { short, minutes, medium, matroska, long } = await keepLongSources();
  const folder = await mkdtemp(join(tmpdir(), 'bench-first-frame-'));
  const service = await startService({ dataFolder: join(folder, 'data') });
  const browser = await openBrowser();
  try {
    const client = await signUp(service.apiUrl);
    await warmUp(client, short);
    const rows: Row[] = [];
    for (const [ladder, entry] of Object.entries(templates)) {
      const template = await client.makeTemplate(queryOf(entry));
      for (const source of [short, minutes, medium, matroska, long]) {
        const runs: Run[] = [];
        for (let repeat = 0; repeat < repeats; repeat++) {
          const player = repeat % 2 === 0 ? 'hls' : 'shaka';
          const seconds = repeat < watchedRepeats ? watchSeconds : begunSeconds;
          runs.push(await playOnce({ client, browser, template, source, player, seconds }));
        }
        rows.push(...rowsOf(`${source.name}, ${ladder}`, runs, source === matroska ? 8 : 5));
      }
    }
    return rows;
  } finally {
    await browser.close();
    await service.stop();
    await rm(folder, { recursive: true });
  }
}

/** The first video of a new process waits for the start of all functions, which are not compiled yet. */
async function warmUp(client: Client, { file }: LongSource): Promise<void> {
  const template = await client.makeTemplate(queryOf({ codec: 'h264', max_height: 360 }));
  const ulid = await client.upload({ file, template, partBytes });
  await client.waitFor(ulid, ({ status }) => status === 'completed');
}

type Run = Watched & { playableSeconds: number; firstFrameSeconds: number; ffmpegSeconds: number };

function rowsOf(name: string, runs: Run[], atMostSeconds: number): Row[] {
  const of = (value: (run: Run) => number): number => median(runs.map(value));
  return [
    row({
      name: `${name}: first frame`,
      unit: 's',
      atMost: atMostSeconds,
      value: of(({ firstFrameSeconds }) => firstFrameSeconds),
      baseline: of(({ playableSeconds }) => playableSeconds),
    }),
    row({ name: `${name}: first frame by ffmpeg`, unit: 's', value: of(({ ffmpegSeconds }) => ffmpegSeconds) }),
    row({
      name: `${name}: longest stall`,
      unit: 's',
      atMost: 0.5,
      value: Math.max(...runs.map(({ longestStallMs }) => longestStallMs / 1000)),
    }),
  ];
}

type Play = {
  client: Client;
  browser: Awaited<ReturnType<typeof openBrowser>>;
  template: string;
  source: LongSource;
  player: Player;
  /** how long it plays */
  seconds: number;
};

async function playOnce({ client, browser, template, source, player, seconds }: Play): Promise<Run> {
  const ulid = await client.upload({ file: source.file, template, partBytes });
  const storedMs = Date.now();
  try {
    const url = await playableUrl(client, ulid);
    const playableSeconds = (Date.now() - storedMs) / 1000;
    const [watched, ffmpegSeconds] = await Promise.all([
      browser.watch({ url, player, seconds: Math.min(seconds, source.durationSeconds - 1) }),
      firstFrameByFfmpeg(url, storedMs),
    ]);
    const firstFrameSeconds = (watched.firstFrameAtMs - storedMs) / 1000;
    process.stderr.write(
      `${source.name}: playable ${playableSeconds.toFixed(2)} s, first frame ${firstFrameSeconds.toFixed(2)} s (${player}), longest stall ${watched.longestStallMs} ms\n`,
    );
    return { ...watched, playableSeconds, firstFrameSeconds, ffmpegSeconds };
  } finally {
    await client.remove(`/api/videos/${ulid}`);
    // Workers learn with their next report that the video is deleted.
    await sleep(12_000);
  }
}

async function playableUrl(client: Client, ulid: string): Promise<string> {
  for (const endMs = Date.now() + longestWaitMs; Date.now() < endMs; await sleep(sourcesEveryMs)) {
    // The video does not exist before the store's event has arrived.
    const { hls } = await client.sources(ulid).catch((): Record<string, string> => ({}));
    if (hls) return hls;
  }
  throw new Error(`the video ${ulid} does not play`);
}

async function firstFrameByFfmpeg(url: string, storedMs: number): Promise<number> {
  await runOrThrow('ffmpeg', ['-v', 'error', '-prefer_x_start', '1', '-i', url, '-frames:v', '1', '-f', 'null', '-']);
  return (Date.now() - storedMs) / 1000;
}
