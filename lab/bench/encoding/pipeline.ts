import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openReceiver } from '../../../test/fixtures/servers/open-receiver.ts';
import { type Client, signUp } from '../../../test/journey/support/client.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { startService } from '../../../test/journey/support/service.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';
import { plainFfmpegArgs, templateOf } from './rendition-set.ts';
import { keepFourMinutes, keepSourceVideo } from './source-video.ts';

const partBytes = 16 * 2 ** 20;
const longestMs = 1_200_000;

/**
 * Time from the end of an upload to a completed video, as HLS and as DASH, compared with one plain ffmpeg that encodes
 * the same renditions of the same file. They alternate, so that other load affects all. DASH shows what the pipeline
 * costs. HLS also plays while it is encoded: the beginning of its smallest rendition is encoded ahead of the others,
 * and decoded twice. That beginning has the same length in a longer video, which is measured once.
 */
export async function measurePipeline(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-pipeline-'));
  const service = await startService({ dataFolder: join(folder, 'data') });
  const ends = await openReceiver();
  try {
    const client = await signUp(service.apiUrl);
    // Polls would take CPU time from the encode.
    await client.post('/api/webhooks', { name: 'ends', url: ends.url, events: ['video.completed', 'video.failed'] });
    const compare = await comparison(client, ends, folder);
    return [
      ...rowsOf('60 s', await compare(await keepSourceVideo(), repeats), { hlsRatio: 1.15 }),
      ...rowsOf('240 s', await compare(await keepFourMinutes(), 1), { hlsRatio: 1.03 }),
    ];
  } finally {
    await service.stop();
    await ends.close();
    await rm(folder, { recursive: true });
  }
}

/** Seconds of each repeat. */
type Times = Record<'plain' | 'playable' | 'hls' | 'dash', number[]>;
type Ends = Awaited<ReturnType<typeof openReceiver>>;

/** Makes the templates, and returns what measures a source. */
async function comparison(client: Client, ends: Ends, folder: string) {
  const templates = {
    hls: await client.makeTemplate(templateOf('hls')),
    dash: await client.makeTemplate(templateOf('dash')),
  };
  return async (source: string, repeats: number): Promise<Times> => {
    const times: Times = { plain: [], playable: [], hls: [], dash: [] };
    for (let repeat = 0; repeat < repeats; repeat++) {
      const plainFolder = await mkdtemp(join(folder, 'plain-'));
      times.plain.push(await secondsOf(() => runOrThrow('ffmpeg', plainFfmpegArgs(source, plainFolder))));
      for (const format of ['hls', 'dash'] as const) {
        const video = await client.upload({ file: source, template: templates[format], partBytes });
        times[format].push(await secondsOf(() => untilCompleted(client, video, ends)));
        if (format === 'hls') {
          times.playable.push(times.hls.at(-1)! + (await secondsOf(() => loadFirstSegment(client, video))));
        }
      }
      const shown = { HLS: times.hls.at(-1)!, DASH: times.dash.at(-1)!, 'plain ffmpeg': times.plain.at(-1)! };
      const texts = Object.entries(shown).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
      process.stderr.write(`${texts.join(', ')}\n`);
    }
    return times;
  };
}

function rowsOf(length: string, { plain, playable, hls, dash }: Times, { hlsRatio }: { hlsRatio: number }): Row[] {
  const rowOf = (name: string, seconds: number[], ratioAtMost: number): Row =>
    row({ name, unit: 's', ratioAtMost, value: median(seconds), baseline: median(plain) });
  return [
    rowOf(`upload finished to an HLS that plays whole, ${length} of 1080p30`, playable, hlsRatio),
    rowOf(`upload finished to completed, ${length} of 1080p30 as HLS`, hls, hlsRatio),
    rowOf(`upload finished to completed, ${length} of 1080p30 as DASH`, dash, 1.03),
  ];
}

/** Resolves when the event of the video's end arrives. Throws unless it is completed. */
async function untilCompleted(client: Client, video: string, { requests, answer: endpoint }: Ends): Promise<void> {
  const isOfVideo = ({ body }: { body: string }): boolean => JSON.parse(body).data.ulid === video;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  endpoint.respond = (response) => {
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
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${new URL(url).pathname} answers ${response.status}`);
  return response.text();
}

const firstUriOf = (playlist: string): string =>
  playlist.split('\n').find((line) => line !== '' && !line.startsWith('#'))!;
