import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const bits = 10;

/** ffmpeg input of a video whose frames show their number, from `first` on, as ten black or white bars. */
export const numberedVideo = (seconds: number, { first = 0, rate = '25' } = {}): string[] => [
  ...['-f', 'lavfi', '-i'],
  [
    // The expression is evaluated for each pixel, so the bars are drawn small.
    `color=black:s=${bits}x2:r=${rate}:d=${seconds},format=yuv420p`,
    `geq=lum='if(mod(floor((N+${first})/pow(2,X)),2),235,16)':cb=128:cr=128`,
    'scale=160:32:flags=neighbor',
  ].join(','),
];

/** ffmpeg input of silence with beeps of 0.1 s at 1.5 s, 3.5 s and so on. */
export const beepingAudio = (seconds: number): string[] => [
  ...['-f', 'lavfi', '-i', `aevalsrc='if(lt(mod(t+0.5,2),0.1),0.8*sin(2*PI*1000*t),0)':c=mono:s=48000:d=${seconds}`],
];

/** Keeps exact times, which the encoder of raw frames would round to multiples of the frame duration. */
const exactTimes = ['-fps_mode', 'passthrough', '-enc_time_base', '1:90000'];

export type ShownFrame = { number: number; seconds: number };

/**
 * The numbers on the frames that ffmpeg decodes from a file, with their presentation times, and its messages: none
 * when the file is valid.
 */
export async function decodeFrames(
  file: string,
  ...inputArgs: string[]
): Promise<{ frames: ShownFrame[]; errors: string }> {
  const bars = ['-map', '0:V:0', ...exactTimes, '-vf', `scale=${bits}:1:flags=area,format=gray`];
  const { stdout: pixels, stderr } = await exec(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', ...inputArgs, '-i', file],
      ...[...bars, '-f', 'rawvideo', 'pipe:1', ...bars, '-f', 'framecrc', 'pipe:2'],
    ],
    { encoding: 'buffer', maxBuffer: 1e8 },
  );
  const lines = stderr.toString().split('\n').filter(Boolean);
  const [, num, den] = /^#tb 0: (\d+)\/(\d+)$/m.exec(lines.join('\n')) ?? [];
  const isFrame = (line: string): boolean => /^\d+(, +-?\w+)+$/.test(line);
  const frames = lines.filter(isFrame).map((line, n) => ({
    number: numberOf(pixels.subarray(n * bits, (n + 1) * bits)),
    seconds: (Number(line.split(',')[2]) * Number(num)) / Number(den),
  }));
  return { frames, errors: lines.filter((line) => !isFrame(line) && !line.startsWith('#')).join('\n') };
}

export const shownFrames = async (file: string): Promise<ShownFrame[]> => (await decodeFrames(file)).frames;

const numberOf = (bars: Buffer): number => bars.reduce((sum, level, bit) => sum + (level > 128 ? 2 ** bit : 0), 0);

const rateHz = 48_000;
const quietSamples = rateHz / 10;

/** Start times of the beeps in the first audio track of a file. */
export async function beepTimes(file: string, ...inputArgs: string[]): Promise<number[]> {
  const { stdout: samples } = await exec(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', ...inputArgs, '-i', file, '-map', '0:a:0'],
      ...['-af', `aresample=${rateHz}:async=1:first_pts=0`, '-ac', '1', '-f', 's16le', '-'],
    ],
    { encoding: 'buffer', maxBuffer: 1e8 },
  );
  const found: number[] = [];
  let lastLoud = Number.NEGATIVE_INFINITY;
  for (let n = 0; n < samples.length / 2; n++) {
    if (Math.abs(samples.readInt16LE(n * 2)) < 3000) continue;
    if (n - lastLoud > quietSamples) found.push(n / rateHz);
    lastLoud = n;
  }
  return found;
}
