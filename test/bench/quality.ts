import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureCpu } from '../../encoder-task/ffmpeg/child-cpu.ts';
import { makeOutputs } from '../encoder-task/support/make-outputs.ts';
import { startStore } from '../encoder-task/support/store.ts';
import { runOrThrow } from '../journey/ffmpeg.ts';
import { median, type Row, row } from './row.ts';
import { keepSourceVideo } from './source-video.ts';

const rung = { name: 'v', codec: 'h264', width: 640, height: 360, preset: 'veryfast', gop: 2 };
const bitratesKbps = { bitrate: 800, max_bitrate: 1200, buffer_size: 1600 };
const framesPerSecond = 30;
/** Frames on each side of a joint that it could show in. */
const framesAround = 30;

type Encode = { file: string; cpuSeconds: number; bytes: number };

/**
 * What cutting into chunks of the usual length costs: a minute encoded so, joined, against the same encoder over the whole file. SSIM is to the source,
 * over the second before and after each joint.
 */
export async function measureQuality(repeats: number): Promise<Row[]> {
  const source = await keepSourceVideo();
  const folder = await mkdtemp(join(tmpdir(), 'bench-quality-'));
  try {
    const [chunked, whole]: [Encode[], Encode[]] = [[], []];
    let joints: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      const made = await encodeInChunks(source, join(folder, `chunks-${repeat}`));
      joints = made.joints;
      chunked.push(made);
      whole.push(await encodeWhole(source, join(folder, `whole-${repeat}.mp4`)));
    }
    const cpu = (encodes: Encode[]): number => median(encodes.map(({ cpuSeconds }) => cpuSeconds));
    const [ours, theirs] = await ssim([chunked[0]!.file, whole[0]!.file], source, folder);
    const near = joints.flatMap((joint) =>
      Array.from(
        { length: 2 * framesAround },
        (_, n) => theirs[joint - framesAround + n]! - ours[joint - framesAround + n]!,
      ),
    );
    return [
      row({
        ...{ name: 'CPU of 60 s in chunks', unit: 's', ratioAtMost: 1.05 },
        ...{ value: cpu(chunked), baseline: cpu(whole) },
      }),
      row({
        ...{ name: 'bytes of 60 s in chunks', unit: 'kB', ratioAtMost: 1.02 },
        ...{ value: chunked[0]!.bytes / 1000, baseline: whole[0]!.bytes / 1000 },
      }),
      row({ name: 'frames too many or too few', value: Math.abs(ours.length - theirs.length), unit: '', atMost: 0 }),
      row({
        ...{ name: 'SSIM lost at joints, mean', unit: '', atMost: 0.005 },
        value: near.reduce((sum, lost) => sum + lost, 0) / near.length,
      }),
      row({ name: 'SSIM lost at joints, worst frame', value: Math.max(...near), unit: '', atMost: 0.03 }),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function encodeInChunks(source: string, folder: string): Promise<Encode & { joints: number[] }> {
  const store = await startStore();
  try {
    const rates = Object.entries(bitratesKbps).map(([name, kbps]) => [name, `${kbps}k`]);
    const query = { video: [{ ...rung, ...Object.fromEntries(rates) }], outputs: [{ format: 'hls' }] };
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

/** One ffmpeg with the same settings; it reads the packets first, as a plan does. */
async function encodeWhole(source: string, file: string): Promise<Encode> {
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

/** Of each frame of both files, the likeness to the source's frame of the same number. The source is decoded once. */
async function ssim(files: [string, string], source: string, folder: string): Promise<[number[], number[]]> {
  const numbered = 'settb=1/1000,setpts=N';
  const listOf = (n: number): string => join(folder, `ssim-${n}.log`);
  const graph = [
    `[2:v]scale=${rung.width}:${rung.height},format=yuv420p,${numbered},split[source0][source1]`,
    ...files.map((_, n) => `[${n}:v]${numbered}[file${n}];[file${n}][source${n}]ssim=stats_file=${listOf(n)}[out${n}]`),
  ].join(';');
  await runOrThrow('ffmpeg', [
    ...[...files, source].flatMap((file) => ['-i', file]),
    ...['-filter_complex', graph, '-map', '[out0]', '-map', '[out1]', '-f', 'null', '-'],
  ]);
  const [ours, theirs] = await Promise.all(
    [0, 1].map(async (n) =>
      [...(await readFile(listOf(n), 'utf8')).matchAll(/All:([\d.]+)/g)].map(([, value]) => Number(value)),
    ),
  );
  return [ours!, theirs!];
}
