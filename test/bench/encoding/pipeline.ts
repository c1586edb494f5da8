import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openReceiver } from '../../fixtures/servers/open-receiver.ts';
import { type Client, signUp } from '../../journey/support/client.ts';
import { runOrThrow } from '../../journey/support/ffmpeg.ts';
import { startService } from '../../journey/support/service.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';
import { plainFfmpegArgs, templateOf } from './rendition-set.ts';
import { keepSourceVideo } from './source-video.ts';

const partBytes = 16 * 2 ** 20;
const longestMs = 1_200_000;

/**
 * Time from the end of an upload to a completed video, as HLS and as DASH, compared with one plain ffmpeg that encodes
 * the same renditions of the same file. They alternate, so that other load affects all. HLS plays while it is encoded,
 * for which the beginning of its smallest rendition is encoded ahead of the others and decoded twice; DASH is not.
 */
export async function measurePipeline(repeats: number): Promise<Row[]> {
  const source = await keepSourceVideo();
  const folder = await mkdtemp(join(tmpdir(), 'bench-pipeline-'));
  const service = await startService({ dataFolder: join(folder, 'data') });
  const ends = await openReceiver();
  try {
    const client = await signUp(service.apiUrl);
    // Polls would take CPU time from the encode.
    await client.post('/api/webhooks', { name: 'ends', url: ends.url, events: ['video.completed', 'video.failed'] });
    const hls = await client.makeTemplate(templateOf('hls'));
    const dash = await client.makeTemplate(templateOf('dash'));
    const plain: number[] = [];
    const playable: number[] = [];
    const asHls: number[] = [];
    const asDash: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const plainFolder = await mkdtemp(join(folder, 'plain-'));
      plain.push(await secondsOf(() => runOrThrow('ffmpeg', plainFfmpegArgs(source, plainFolder))));
      const video = await client.upload({ file: source, template: hls, partBytes });
      asHls.push(await secondsOf(() => untilCompleted(client, video, ends)));
      playable.push(asHls.at(-1)! + (await secondsOf(() => loadFirstSegment(client, video))));
      const second = await client.upload({ file: source, template: dash, partBytes });
      asDash.push(await secondsOf(() => untilCompleted(client, second, ends)));
      const shown = { HLS: asHls.at(-1)!, DASH: asDash.at(-1)!, 'plain ffmpeg': plain.at(-1)! };
      const texts = Object.entries(shown).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
      process.stderr.write(`${texts.join(', ')}\n`);
    }
    const rowOf = (name: string, seconds: number[], ratioAtMost: number): Row =>
      row({ name, unit: 's', ratioAtMost, value: median(seconds), baseline: median(plain) });
    return [
      rowOf('upload finished to an HLS that plays whole, 60 s of 1080p30', playable, 1.15),
      rowOf('upload finished to completed, 60 s of 1080p30 as HLS', asHls, 1.15),
      rowOf('upload finished to completed, 60 s of 1080p30 as DASH', asDash, 1.15),
    ];
  } finally {
    await service.stop();
    await ends.close();
    await rm(folder, { recursive: true });
  }
}

/** Resolves when the event of the video's end arrives. Throws unless it is completed. */
async function untilCompleted(
  client: Client,
  video: string,
  { requests, answer }: Awaited<ReturnType<typeof openReceiver>>,
): Promise<void> {
  const isOfVideo = ({ body }: { body: string }): boolean => JSON.parse(body).data.ulid === video;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  answer.respond = (response) => {
    response.writeHead(204).end();
    if (requests.some(isOfVideo)) resolve();
  };
  if (requests.some(isOfVideo)) resolve();
  const timer = setTimeout(() => reject(new Error(`The video ${video} does not end.`)), longestMs);
  await promise.finally(() => clearTimeout(timer));
  const { status } = await client.getVideo(video);
  if (status !== 'completed') throw new Error(`The video ${video} is ${status}.`);
}

/**
 * What a player loads before the first frame: multivariant playlist, first media playlist, its init segment and first
 * segment.
 */
async function loadFirstSegment(client: Client, video: string): Promise<void> {
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
