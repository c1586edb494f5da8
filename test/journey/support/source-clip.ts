import { runOrThrow } from './ffmpeg.ts';

/** Frame numbers are drawn as this many squares along the top of the frame, lowest bit first. */
export const numberBits = 10;
/** Height of that strip as a fraction of the frame's. */
export const stripShare = 1 / 9;
export const frameRate = { num: 30_000, den: 1001 };
/** A beep starts this long after each full second. */
export const beepOffsetSeconds = 0.5;

export type Clip = { file: string; frames: number; durationSeconds: number; width: number; height: number };

type ClipOptions = { durationSeconds: number; width?: number; height?: number; bitrate?: string };

/**
 * Writes an MP4 with a number in every frame and one beep a second, so that encoded output can be compared frame by
 * frame and in A/V sync. 29.97 frames a second, B-frames, AAC: timestamps that are exact in no common time base. Noise
 * fills the requested `bitrate`.
 */
export async function makeSourceClip(
  file: string,
  { durationSeconds, width = 640, height = 360, bitrate = '6M' }: ClipOptions,
): Promise<Clip> {
  const frames = Math.round((durationSeconds * frameRate.num) / frameRate.den);
  if (frames >= 2 ** numberBits) throw new Error(`${frames} frames cannot be numbered with ${numberBits} bits`);
  const rate = `${frameRate.num}/${frameRate.den}`;
  await runOrThrow('ffmpeg', [
    ...[
      '-y',
      '-f',
      'lavfi',
      '-i',
      `testsrc2=s=${width}x${height}:r=${rate},noise=alls=25:allf=t,${frameNumber(width, height)}`,
    ],
    ...['-f', 'lavfi', '-i', `aevalsrc='${beep}|${beep}':s=48000`],
    ...[
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-frames:v',
      String(frames),
      '-t',
      String((frames * frameRate.den) / frameRate.num),
    ],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '60', '-b:v', bitrate, '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart', file],
  ]);
  return { file, frames, durationSeconds: (frames * frameRate.den) / frameRate.num, width, height };
}

function frameNumber(width: number, height: number): string {
  const square = { width: width / numberBits, height: Math.round(height * stripShare) };
  const bits = Array.from({ length: numberBits }, (_, bit) =>
    box(bit * square.width, square.width, square.height, `white:enable='mod(floor(n/${2 ** bit})\\,2)'`),
  );
  return [box(0, width, square.height, 'black'), ...bits].join(',');
}

const box = (x: number, width: number, height: number, color: string): string =>
  `drawbox=x=${x}:y=0:w=${width}:h=${height}:t=fill:color=${color}`;

const beep = `0.5*sin(2*PI*1000*t)*between(mod(t\\,1)\\,${beepOffsetSeconds}\\,${beepOffsetSeconds + 0.1})`;
