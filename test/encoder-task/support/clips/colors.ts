import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Red, green and blue. */
export type Color = [number, number, number];

/**
 * Colours of the first frame, as its tags say, at places from 0 to 1 of its width and height. Values of a decoder that
 * ignores alpha.
 */
export async function colorsAt(file: string, places: [x: number, y: number][]): Promise<Color[]> {
  // smaller frames are read faster
  const [width, height] = [64, 36];
  const filters = `format=rgb24,scale=${width}:${height}:flags=area`;
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-frames:v', '1', '-vf', filters, '-f', 'rawvideo', '-'],
    { encoding: 'buffer' },
  );
  return places.map(([x, y]) => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
    return [...stdout.subarray(at, at + 3)] as Color;
  });
}

/** The largest difference of a component. */
export const colorDistance = (one: Color, other: Color): number =>
  Math.max(...one.map((value, n) => Math.abs(value - other[n]!)));
