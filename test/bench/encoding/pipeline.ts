import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, signUp } from '../../journey/support/client.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { startService } from '../../journey/support/service.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';
import { plainFfmpegArgs, templateOf } from './rendition-set.ts';
import { keepSourceVideo } from './source-video.ts';

const partBytes = 16 * 2 ** 20;
/** The polling interval of a waiting client: polls take CPU time from the encode. */
const patience = { atMostMs: 1_200_000, everyMs: 1000 };

/**
 * Time from the end of an upload to playable HLS and to a completed video, compared with one plain ffmpeg that encodes
 * the same renditions of the same file. They alternate, so that other load affects all. HLS plays while it is encoded,
 * for which its smallest rendition is encoded ahead of the others and the source is decoded twice; DASH is not.
 */
export async function measurePipeline(repeats: number): Promise<Row[]> {
  const source = await keepSourceVideo();
  const folder = await mkdtemp(join(tmpdir(), 'bench-pipeline-'));
  const service = await startService({ dataFolder: join(folder, 'data') });
  try {
    const client = await signUp(service.apiUrl);
    const hls = await client.makeTemplate(templateOf('hls'));
    const dash = await client.makeTemplate(templateOf('dash'));
    const plain: number[] = [];
    const playable: number[] = [];
    const served: number[] = [];
    const whole: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const plainFolder = await mkdtemp(join(folder, 'plain-'));
      plain.push(await secondsOf(() => runOrThrow('ffmpeg', plainFfmpegArgs(source, plainFolder))));
      const video = await client.upload({ file: source, template: hls, partBytes });
      // one after the other: two pollers at once would exceed the user's rate limit
      playable.push(await secondsOf(() => firstSegment(client, video)));
      served.push(playable.at(-1)! + (await secondsOf(() => client.waitFor(video, isCompleted, patience))));
      const second = await client.upload({ file: source, template: dash, partBytes });
      whole.push(await secondsOf(() => client.waitFor(second, isCompleted, patience)));
      const shown = { HLS: served.at(-1)!, DASH: whole.at(-1)!, 'plain ffmpeg': plain.at(-1)! };
      const texts = Object.entries(shown).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
      process.stderr.write(`${texts.join(', ')}\n`);
    }
    const rowOf = (name: string, seconds: number[], ratioAtMost: number): Row =>
      row({ name, unit: 's', ratioAtMost, value: median(seconds), baseline: median(plain) });
    return [
      rowOf('upload finished to an HLS that plays whole, 60 s of 1080p30', playable, 1.15),
      rowOf('upload finished to completed, 60 s of 1080p30 as HLS', served, 1.15),
      rowOf('upload finished to completed, 60 s of 1080p30 as DASH', whole, 1.15),
    ];
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
}

const isCompleted = ({ status }: { status: string }): boolean => status === 'completed';

/**
 * What a player loads before the first frame: multivariant playlist, first media playlist, its init segment and first
 * segment.
 */
async function firstSegment(client: Client, video: string): Promise<void> {
  const isMade = ({ format, status }: { format: string; status: string }): boolean =>
    format === 'hls' && status === 'completed';
  await client.waitFor(video, ({ outputs }) => outputs.some(isMade), patience);
  const { hls } = await client.sources(video);
  const playlistUrl = new URL(firstUriOf(await load(hls!)), hls);
  const playlist = await load(playlistUrl);
  const init = /#EXT-X-MAP:URI="([^"]+)"/.exec(playlist)![1]!;
  for (const file of [init, firstUriOf(playlist)]) await load(new URL(file, playlistUrl));
}

async function load(url: string | URL): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${new URL(url).pathname} answers ${answer.status}`);
  return answer.text();
}

const firstUriOf = (playlist: string): string =>
  playlist.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
