import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrThrow } from '../../../test/journey/support/ffmpeg.ts';

export type Frame = { seconds: number; pixels: Buffer };
/** Frames as RGB, with the shape of their pixels. */
export type DecodedVideo = { width: number; height: number; sampleAspectRatio: number; frames: Frame[] };
/** Two channels of samples at `soundHz`, from second 0 of the presentation on. */
export type DecodedSound = { samples: Int16Array };

export const soundHz = 8000;
export const soundChannels = 2;

/** Decodes renditions with one ffmpeg. Throws when it has a complaint. */
export async function decodeRenditions(
  { video, audio }: { video: string | undefined; audio: readonly string[] },
  folder: string,
): Promise<{ video: DecodedVideo | null; audio: DecodedSound[] }> {
  const [pictures, times] = [join(folder, 'pictures.rgb'), join(folder, 'times.txt')];
  const firstAudio = video === undefined ? 0 : 1;
  const sounds = audio.map((_, n) => join(folder, `sound-${n}.s16`));
  const { stderr } = await runOrThrow('ffmpeg', [
    ...['-nostdin', '-y', '-copyts'],
    ...[...(video === undefined ? [] : [video]), ...audio].flatMap((file) => ['-i', file]),
    ...(video === undefined
      ? []
      : [
          ...['-filter_complex', '[0:v]scale=flags=accurate_rnd+full_chroma_int,format=rgb24,split[picture][time]'],
          ...['-map', '[picture]', '-fps_mode', 'passthrough', '-f', 'rawvideo', pictures],
          ...['-map', '[time]', '-fps_mode', 'passthrough', '-enc_time_base', '1:90000', '-f', 'framecrc', times],
        ]),
    ...sounds.flatMap((file, n) => [
      ...['-map', `${firstAudio + n}:a`, '-af', `aresample=${soundHz}:async=1:first_pts=0`],
      ...['-ac', String(soundChannels), '-f', 's16le', file],
    ]),
  ]);
  if (stderr !== '') throw new Error(`ffmpeg complains about a rendition: ${stderr.split('\n')[0]}`);
  return {
    video: video === undefined ? null : framesOf(await readFile(pictures), await readFile(times, 'utf8')),
    audio: await Promise.all(sounds.map(async (file) => ({ samples: samplesOf(await readFile(file)) }))),
  };
}

/** ffmpeg's list of frames: `stream, dts, pts, …`, after lines with the time base, the size and the shape of pixels. */
function framesOf(pictures: Buffer, list: string): DecodedVideo {
  const pair = (name: string): [number, number] => {
    const [, first, second] = new RegExp(`^#${name} 0: (\\d+)[x/](\\d+)$`, 'm').exec(list) ?? [];
    return [Number(first), Number(second)];
  };
  const [[num, den], [width, height], [sarNum, sarDen]] = [pair('tb'), pair('dimensions'), pair('sar')];
  const bytes = width * height * 3;
  const frames = list
    .split('\n')
    .filter((line) => /^0,/.test(line))
    .map((line, n) => ({
      seconds: (Number(line.split(',')[2]) * num) / den,
      pixels: pictures.subarray(n * bytes, (n + 1) * bytes),
    }));
  return { width, height, sampleAspectRatio: sarNum > 0 ? sarNum / sarDen : 1, frames };
}

const samplesOf = (bytes: Buffer): Int16Array =>
  new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
