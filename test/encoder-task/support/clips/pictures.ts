import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ShownPacket, type ShownStream, streamsAndPackets } from '../ffmpeg.ts';

/** Brightness of the four quarters of a displayed frame. */
export type Quarters = [number, number, number, number];

export type ShownVideo = { streams: ShownStream[]; packets: ShownPacket[]; frames: Quarters[]; errors: string };

const toQuarters = 'scale=2:2:flags=area,format=gray';

/**
 * The facts of a video track that the tests compare. They need only two processes, whose start takes longer than
 * decoding a short clip.
 */
export async function shownVideo(file: string): Promise<ShownVideo> {
  const [{ streams, packets }, { stdout, stderr }] = await Promise.all([
    streamsAndPackets(file),
    run(['-v', 'error', '-xerror', '-i', file, '-map', '0:V:0', '-vf', toQuarters, '-fps_mode', 'passthrough']),
  ]);
  return { streams, packets, frames: readQuarters(stdout), errors: stderr };
}

/** The first frame of a file, and its display size. */
export async function shownPicture(file: string): Promise<{ quarters: Quarters; width: number; height: number }> {
  const graph = `[0:V:0]split[shape][levels];[shape]scale=iw*sar:ih,setsar=1,showinfo,nullsink;[levels]${toQuarters}[out]`;
  const { stdout, stderr } = await run([
    ...['-hide_banner', '-i', file, '-filter_complex', graph, '-map', '[out]', '-frames:v', '1'],
  ]);
  const [, width, height] = /showinfo.* s:(\d+)x(\d+)/.exec(stderr)!;
  return { quarters: readQuarters(stdout)[0]!, width: Number(width), height: Number(height) };
}

const readQuarters = (bytes: Buffer): Quarters[] =>
  Array.from({ length: bytes.length / 4 }, (_, n) => [...bytes.subarray(4 * n, 4 * n + 4)] as Quarters);

async function run(args: string[]): Promise<{ stdout: Buffer; stderr: string }> {
  const { stdout, stderr } = await promisify(execFile)('ffmpeg', ['-nostdin', ...args, '-f', 'rawvideo', '-'], {
    encoding: 'buffer',
    maxBuffer: 1e8,
  });
  return { stdout, stderr: stderr.toString() };
}
