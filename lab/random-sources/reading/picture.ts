import { numberBits, patches } from '../making/picture-graph.ts';

export type Rect = { x: number; y: number; width: number; height: number };
export type Rgb = readonly [number, number, number];
export type Image = { width: number; pixels: Buffer };

/** The largest part of a frame that has a shape (width / height in pixels of the frame), in its middle. */
export function fitted(frame: { width: number; height: number }, shape: number): Rect {
  const width = Math.min(frame.width, frame.height * shape);
  const height = Math.min(frame.height, frame.width / shape);
  return { x: (frame.width - width) / 2, y: (frame.height - height) / 2, width, height };
}

/** The number that bars in the upper half of a picture show. */
export function shownNumber(image: Image, rect: Rect): number {
  const isWhite = (bit: number): boolean => colourAt(image, rect, (bit + 0.5) / numberBits, 0.25)[1] > 128;
  return Array.from({ length: numberBits }, (_, bit) => (isWhite(bit) ? 2 ** bit : 0)).reduce((sum, one) => sum + one);
}

/** The colours of the patches in the lower half of a picture. */
export const shownPatches = (image: Image, rect: Rect): Rgb[] =>
  patches.map((_, n) => colourAt(image, rect, (n + 0.5) / patches.length, 0.75));

/** The mean of nine pixels around a point, given in shares of the picture. */
export function colourAt({ width, pixels }: Image, rect: Rect, shareX: number, shareY: number): Rgb {
  const [centerX, centerY] = [Math.floor(rect.x + rect.width * shareX), Math.floor(rect.y + rect.height * shareY)];
  const sum = [0, 0, 0];
  for (const y of [centerY - 1, centerY, centerY + 1])
    for (const x of [centerX - 1, centerX, centerX + 1])
      for (const channel of [0, 1, 2]) sum[channel]! += pixels[(y * width + x) * 3 + channel]!;
  return [sum[0]! / 9, sum[1]! / 9, sum[2]! / 9];
}
