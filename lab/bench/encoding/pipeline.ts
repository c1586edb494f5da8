import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { openReceiver } from '../../../test/fixtures/servers/open-receiver.ts';
import { type Client, signUp } from '../../../test/journey/support/client.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { startService } from '../../../test/journey/support/service.ts';
import { median, type Row, row } from '../row.ts';
import { secondsOf } from '../stop-watch.ts';
import { plainFfmpegArgs, templateOf } from './rendition-set.ts';
import { type CpuParts, followServiceCpu, type ServiceCpu } from './service-cpu.ts';
import { keepFourMinutes, keepSourceVideo } from './source-video.ts';

const partBytes = 16 * 2 ** 20;
const longestMs = 1_200_000;

/**
 * Time from the end of an upload to a completed video, as HLS and as DASH, compared with one plain ffmpeg that encodes
 * the same renditions of the same file. They alternate, so that other load affects all. DASH shows what the pipeline
 * costs. HLS also plays while it is encoded: the beginning of its smallest rendition is encoded ahead of the others,
 * and decoded twice. That beginning has the same length in a longer video, which is measured once.
 *
 * The CPU time is that of all processes, from the beginning of the upload on. The time alone would hide a part of it,
 * because plain ffmpeg leaves cores idle.
 */
export async function measurePipeline(repeats: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-pipeline-'));
  // With this level, workers log the CPU time of each job.
  const service = await startService({ dataFolder: join(folder, 'data'), env: { LOG_LEVEL: 'INFO' } });
  const ends = await openReceiver();
  try {
    const client = await signUp(service.apiUrl);
    // Polls would take CPU time from the encode.
    await client.post('/api/webhooks', { name: 'ends', url: ends.url, events: ['video.completed', 'video.failed'] });
    const compare = await comparison(client, ends, { folder, cpu: followServiceCpu(service) });
    return [
      ...rowsOf('60 s', await compare(await keepSourceVideo(), repeats), shortGoals),
      ...rowsOf('240 s', await compare(await keepFourMinutes(), 1), longGoals),
    ];
  } finally {
    await service.stop();
    await ends.close();
    await rm(folder, { recursive: true });
  }
}

/** The highest ratios to plain ffmpeg. */
type Goals = { hls: number; hlsCpu: number; dashCpu: number };
const shortGoals: Goals = { hls: 1.15, hlsCpu: 1.2, dashCpu: 1.1 };
const longGoals: Goals = { hls: 1.03, hlsCpu: 1.1, dashCpu: 1.06 };

/** Seconds of each repeat, and CPU seconds. */
type Times = Record<'plain' | 'playable' | 'hls' | 'dash' | 'plainCpu', number[]> &
  Record<'hlsCpu' | 'dashCpu', CpuParts[]>;
type Ends = Awaited<ReturnType<typeof openReceiver>>;

/** Makes the templates, and returns what measures a source. */
async function comparison(client: Client, ends: Ends, { folder, cpu }: { folder: string; cpu: ServiceCpu }) {
  const templates = {
    hls: await client.makeTemplate(templateOf('hls')),
    dash: await client.makeTemplate(templateOf('dash')),
  };
  return async (source: string, repeats: number): Promise<Times> => {
    const times: Times = { plain: [], playable: [], hls: [], dash: [], plainCpu: [], hlsCpu: [], dashCpu: [] };
    for (let repeat = 0; repeat < repeats; repeat++) {
      const plainFolder = await mkdtemp(join(folder, 'plain-'));
      const plain = await measureCpu(() => secondsOf(() => runOrThrow('ffmpeg', plainFfmpegArgs(source, plainFolder))));
      times.plain.push(plain.result);
      times.plainCpu.push(plain.cpuSeconds);
      for (const format of ['hls', 'dash'] as const) {
        await cpu.start();
        const video = await client.upload({ file: source, template: templates[format], partBytes });
        times[format].push(await secondsOf(() => untilCompleted(client, video, ends)));
        times[`${format}Cpu`].push(await cpu.parts());
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

function rowsOf(length: string, times: Times, goals: Goals): Row[] {
  const { plain, playable, hls, dash } = times;
  const rowOf = (name: string, seconds: number[], ratioAtMost: number): Row =>
    row({ name, unit: 's', ratioAtMost, value: median(seconds), baseline: median(plain) });
  return [
    rowOf(`upload finished to an HLS that plays whole, ${length} of 1080p30`, playable, goals.hls),
    rowOf(`upload finished to completed, ${length} of 1080p30 as HLS`, hls, goals.hls),
    rowOf(`upload finished to completed, ${length} of 1080p30 as DASH`, dash, 1.03),
    ...cpuRowsOf(`CPU, ${length} as HLS`, times.hlsCpu, times.plainCpu, goals.hlsCpu),
    ...cpuRowsOf(`CPU, ${length} as DASH`, times.dashCpu, times.plainCpu, goals.dashCpu),
  ];
}

/** The parts have the ratio to all of plain ffmpeg, so that they add up. */
function cpuRowsOf(name: string, repeats: CpuParts[], plain: number[], ratioAtMost: number): Row[] {
  const baseline = median(plain);
  const rowOf = (part: string, value: number, goal: { ratioAtMost?: number } = {}): Row =>
    row({ name: `${name}: ${part}`, unit: 's', value, baseline, ...goal });
  const parts = [...new Set(repeats.flatMap((repeat) => Object.keys(repeat)))].toSorted();
  const sumOf = (repeat: CpuParts): number => Object.values(repeat).reduce((sum, seconds) => sum + seconds, 0);
  return [
    rowOf('all processes', median(repeats.map(sumOf)), { ratioAtMost }),
    ...parts.map((part) => rowOf(part, median(repeats.map((repeat) => repeat[part] ?? 0)))),
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
