import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../../encoder-task/runtime/child-cpu.ts';
import { makeOutputs } from '../../../test/encoder-task/support/make-outputs.ts';
import { startStore } from '../../../test/encoder-task/support/store.ts';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';
import { median, type Row, row } from '../row.ts';
import { lostAtJoints, meanOf } from './lost-at-joints.ts';
import { keepSourceVideo } from './source-video.ts';

const rung = { name: 'v', codec: 'h264', width: 640, height: 360, preset: 'veryfast', gop: 2 };
const bitratesKbps = { bitrate: 800, max_bitrate: 1200, buffer_size: 1600 };
const framesPerSecond = 30;

/** Slow encoders are measured at the joints of three short chunks of small frames. */
const slowCodecs = ['hevc', 'vp9', 'av1'];
const smallRung = { name: 'v', width: 320, height: 180, preset: 'veryfast', gop: 2, bitrate: '300k' };
const shortSeconds = 24;

/** The cost of chunking: for H.264 with usual chunks in CPU, bytes and SSIM, for other codecs in SSIM. */
export async function measureQuality(repeats: number): Promise<Row[]> {
  const source = await keepSourceVideo();
  const folder = await mkdtemp(join(tmpdir(), 'bench-quality-'));
  try {
    const rows = await measureH264(source, repeats, folder);
    const short = join(folder, 'short.mp4');
    await runOrThrow('ffmpeg', ['-i', source, '-t', String(shortSeconds), '-map', '0:v', '-c', 'copy', short]);
    for (const codec of slowCodecs) rows.push(...(await measureSlow(codec, short, join(folder, codec))));
    return rows;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * A minute encoded in chunks of the usual length and joined, compared with the same encoder over the whole file. SSIM
 * is to the source, over the second before and after each joint.
 */
async function measureH264(source: string, repeats: number, folder: string): Promise<Row[]> {
  const rates = Object.entries(bitratesKbps).map(([name, kbps]) => [name, `${kbps}k`]);
  const query = { video: [{ ...rung, ...Object.fromEntries(rates) }], outputs: [{ format: 'hls' }] };
  const [chunked, whole]: [JoinedEncode[], Omit<JoinedEncode, 'joints'>[]] = [[], []];
  for (let repeat = 0; repeat < repeats; repeat++) {
    chunked.push(await encodeJoined(source, query, join(folder, `chunks-${repeat}`)));
    whole.push(await encodeWhole(source, join(folder, `whole-${repeat}.mp4`)));
  }
  const cpu = (encodes: { cpuSeconds: number }[]): number => median(encodes.map(({ cpuSeconds }) => cpuSeconds));
  const [ours, theirs] = [chunked[0]!, whole[0]!];
  const files = { chunked: ours.file, whole: theirs.file, source, size: rung };
  const { lost, frames } = await lostAtJoints(files, ours.joints, folder);
  return [
    row({
      name: 'CPU of 60 s in chunks',
      unit: 's',
      ratioAtMost: 1.05,
      value: cpu(chunked),
      baseline: cpu(whole),
    }),
    row({
      name: 'bytes of 60 s in chunks',
      unit: 'kB',
      ratioAtMost: 1.02,
      value: ours.bytes / 1000,
      baseline: theirs.bytes / 1000,
    }),
    row({ name: 'frames too many or too few', value: Math.abs(frames[0] - frames[1]), unit: '', atMost: 0 }),
    row({ name: 'SSIM lost at joints, mean', unit: '', atMost: 0.005, value: meanOf(lost) }),
    row({ name: 'SSIM lost at joints, worst frame', unit: '', atMost: 0.03, value: Math.max(...lost) }),
  ];
}

/** Compared with the same jobs in a single chunk. */
async function measureSlow(codec: string, source: string, folder: string): Promise<Row[]> {
  const query = { video: [{ ...smallRung, codec }], outputs: [{ format: 'hls', segment_duration: 4 }] };
  await mkdir(folder);
  const chunked = await encodeJoined(source, { ...query, chunk_duration: shortSeconds / 3 }, join(folder, 'chunks'));
  const whole = await encodeJoined(source, { ...query, chunk_duration: 2 * shortSeconds }, join(folder, 'whole'));
  const files = { chunked: chunked.file, whole: whole.file, source, size: smallRung };
  const { lost } = await lostAtJoints(files, chunked.joints, folder);
  return [
    row({ name: `SSIM lost at joints of ${codec}, mean`, unit: '', atMost: 0.005, value: meanOf(lost) }),
    row({ name: `SSIM lost at joints of ${codec}, worst frame`, unit: '', atMost: 0.03, value: Math.max(...lost) }),
  ];
}

/** One ffmpeg with the same settings, after a pass over the packets as planning does. */
async function encodeWhole(source: string, file: string): Promise<Omit<JoinedEncode, 'joints'>> {
  const gop = rung.gop * framesPerSecond;
  const { cpuSeconds } = await measureCpu(() =>
    runOrThrow('ffmpeg', [
      ...['-i', source, '-map', '0:v', '-vf', `scale=${rung.width}:${rung.height},format=yuv420p`],
      ...['-c:v', 'libx264', '-preset', rung.preset, '-b:v', `${bitratesKbps.bitrate}k`],
      ...['-maxrate', `${bitratesKbps.max_bitrate}k`, '-bufsize', `${bitratesKbps.buffer_size}k`],
      ...['-g', String(gop), '-keyint_min', String(gop), '-sc_threshold', '0'],
      ...['-movflags', '+frag_keyframe+empty_moov', file],
    ]),
  );
  return { file, cpuSeconds, bytes: (await readFile(file)).length };
}

/** One rendition in a file; `joints` are the first frames of its chunks. */
type JoinedEncode = { file: string; cpuSeconds: number; bytes: number; joints: number[] };

/**
 * Encodes a source with the workers' jobs by a query with one rung named `v`, and joins the segments as a player would.
 */
async function encodeJoined(source: string, query: object, folder: string): Promise<JoinedEncode> {
  const store = await startStore();
  try {
    const { result, cpuSeconds } = await measureCpu(() => makeOutputs(store, source, query, folder));
    const track = join(folder, 'video/v');
    const segments = (await readdir(track)).filter((name) => name.endsWith('.m4s')).sort();
    const parts = await Promise.all(['init.mp4', ...segments].map((name) => readFile(join(track, name))));
    const joined = Buffer.concat(parts);
    const file = join(folder, 'joined.mp4');
    await writeFile(file, joined);
    const joints = result.plan.groups[0]!.chunks.slice(1).map(({ startFrame }) => startFrame);
    return { file, cpuSeconds, bytes: joined.length, joints };
  } finally {
    await store.close();
  }
}
