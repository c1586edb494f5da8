import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { cachedClip } from './clips/clip-cache.ts';

const exec = promisify(execFile);

/**
 * Runs ffmpeg and resolves with its stderr. Encoders use one thread, because more are slower for small clips: libvpx
 * takes ten times as long with two.
 */
export async function ffmpeg(...args: string[]): Promise<string> {
  const all = [
    '-nostdin',
    '-hide_banner',
    '-v',
    'error',
    '-y',
    ...args.slice(0, -1),
    '-threads',
    '1',
    ...args.slice(-1),
  ];
  return cachedClip(all, async () => (await exec('ffmpeg', all)).stderr);
}

export type ShownPacket = { stream: number; pts: number; ptsSeconds: number; durationTicks: number; key: boolean };

/** Presented packets, by presentation time. */
export const packetsOf = async (file: string, stream = '0'): Promise<ShownPacket[]> =>
  (await streamsAndPackets(file, stream)).packets;

export type ShownStream = Record<string, string | number | undefined> & { tags?: Record<string, string> };

/** One stream of a file with its presented packets, by presentation time. */
export async function streamsAndPackets(
  file: string,
  stream = '0',
): Promise<{ streams: ShownStream[]; packets: ShownPacket[] }> {
  const { stdout } = await exec(
    'ffprobe',
    ['-v', 'error', '-select_streams', stream, '-show_streams', '-show_packets', '-of', 'json', file],
    { maxBuffer: 1e8 },
  );
  const { streams, packets } = JSON.parse(stdout) as { streams: ShownStream[]; packets: Record<string, string>[] };
  return {
    streams,
    packets: packets
      .filter((packet) => !packet.flags?.includes('D'))
      .map(shownPacket)
      .sort(byPts),
  };
}

const shownPacket = (packet: Record<string, string>): ShownPacket => ({
  stream: Number(packet.stream_index),
  pts: Number(packet.pts),
  ptsSeconds: Number(packet.pts_time),
  durationTicks: Number(packet.duration),
  key: packet.flags?.startsWith('K') === true,
});

const byPts = (a: ShownPacket, b: ShownPacket): number => a.pts - b.pts;

export async function streamsOf(file: string): Promise<ShownStream[]> {
  const { stdout } = await exec('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', file]);
  return (JSON.parse(stdout) as { streams: ShownStream[] }).streams;
}

/** A hash of every decoded frame or block of samples with its time, to compare two files. */
export async function decodedHashes(file: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await exec('ffmpeg', ['-nostdin', '-v', 'error', '-i', file, ...args, '-f', 'framemd5', '-'], {
    maxBuffer: 1e8,
  });
  return stdout.split('\n').filter((line) => line && !line.startsWith('#'));
}

/** ffmpeg's messages while it decodes a whole file: none when the file is valid. */
export async function decodeErrors(file: string): Promise<string> {
  const { stderr } = await exec('ffmpeg', ['-nostdin', '-v', 'error', '-xerror', '-i', file, '-f', 'null', '-']);
  return stderr;
}

async function decodeRaw(file: string, ...args: string[]): Promise<Buffer> {
  const { stdout } = await exec('ffmpeg', ['-nostdin', '-v', 'error', '-copyts', '-i', file, ...args, '-'], {
    encoding: 'buffer',
    maxBuffer: 1e9,
  });
  return stdout;
}

/** Presentation time of the first bright frame, in milliseconds precision. */
export async function flashSeconds(file: string): Promise<number> {
  const looks = ['-map', '0:V:0', '-vf', 'scale=1:1,format=gray,fps=1000:start_time=0:round=down', '-f', 'rawvideo'];
  return (await decodeRaw(file, ...looks)).findIndex((gray) => gray > 128) / 1000;
}

/** Presentation time of the first loud sample of the first audio track. */
export async function beepSeconds(file: string): Promise<number> {
  const samples = await decodeRaw(
    file,
    '-map',
    '0:a:0',
    '-af',
    'aresample=48000:async=1:first_pts=0',
    '-ac',
    '1',
    '-f',
    's16le',
  );
  for (let at = 0; at < samples.length; at += 2) if (Math.abs(samples.readInt16LE(at)) > 3000) return at / 2 / 48_000;
  return Number.NaN;
}

/** ffprobe's output for a video track and its first frame, including HDR10 metadata. */
export async function firstFrameOf(file: string): Promise<unknown> {
  const args = ['-v', 'error', '-select_streams', 'v:0', '-read_intervals', '%+#1', '-show_streams', '-show_frames'];
  const { stdout } = await exec('ffprobe', [...args, '-of', 'json', file]);
  return JSON.parse(stdout);
}

/** Sizes and decode times of the packets of a file's first track. */
export async function packetsInDecodeOrder(file: string): Promise<{ dtsSeconds: number; bytes: number }[]> {
  const { stdout } = await exec(
    'ffprobe',
    ['-v', 'error', '-select_streams', '0', '-show_entries', 'packet=dts_time,size', '-of', 'json', file],
    { maxBuffer: 1e8 },
  );
  const { packets } = JSON.parse(stdout) as { packets: { dts_time: string; size: string }[] };
  return packets.map(({ dts_time, size }) => ({ dtsSeconds: Number(dts_time), bytes: Number(size) }));
}
