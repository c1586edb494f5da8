import type { Size } from './display-size.ts';

/** Bounds for a picture, given for landscape. A side left out is free. */
export type Box = { width?: number | undefined; height?: number | undefined };

export type Fit = 'contain' | 'pad' | 'crop';

/** `width` × `height` is the picture as scaled from `crop`, `pad` the frame around it. Together they never exceed the source. */
export type Fitted = Size & {
  crop: Size | null;
  pad: Size | null;
  /** pixels of the box as asked; of the picture itself when the box bounds nothing */
  boxPixels: number;
  /** the source is smaller than the box */
  isClamped: boolean;
};

/** The encoders' own limit, for boxes with a free side. */
const maxSide = 8192;

const floorEven = (length: number): number => Math.max(2, 2 * Math.floor(length / 2));
const roundEven = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

/** Puts the upright picture into a box, turned for a portrait picture, without ever enlarging it. */
export function fitInto(source: Size, landscapeBox: Box, fit: Fit): Fitted {
  const isPortrait = source.height > source.width;
  const asked = isPortrait ? { width: landscapeBox.height, height: landscapeBox.width } : landscapeBox;
  const box = { width: asked.width ?? maxSide, height: asked.height ?? maxSide };
  const isClosed = asked.width !== undefined && asked.height !== undefined;

  const picture = fit === 'crop' && isClosed ? cropTo(source, box) : source;
  const room = Math.min(box.width / picture.width, box.height / picture.height);
  const scale = Math.min(room, 1);
  const scaled = (length: number, bound: number) =>
    // What is left of a cropped picture has the box's shape but for a pixel, so it fills it.
    Math.min(picture === source ? roundEven(length * scale) : bound, floorEven(length));
  const result = { width: scaled(picture.width, box.width), height: scaled(picture.height, box.height) };

  const frame = {
    width: floorEven(Math.min(box.width, source.width)),
    height: floorEven(Math.min(box.height, source.height)),
  };
  const isFramed = fit === 'pad' && isClosed && (frame.width > result.width || frame.height > result.height);
  return {
    ...result,
    crop: picture === source ? null : picture,
    pad: isFramed ? frame : null,
    boxPixels: boxPixels(source, asked) ?? result.width * result.height,
    isClamped: room > 1 && (asked.width !== undefined || asked.height !== undefined),
  };
}

/** The largest centre part in the box's shape; the source itself when that is all of it. */
function cropTo(source: Size, box: Size): Size {
  const width = floorEven(Math.min(source.width, (source.height * box.width) / box.height));
  const height = floorEven(Math.min(source.height, (source.width * box.height) / box.width));
  const isWhole = width >= floorEven(source.width) && height >= floorEven(source.height);
  return isWhole ? source : { width: Math.min(width, source.width), height: Math.min(height, source.height) };
}

function boxPixels(source: Size, { width, height }: Box): number | undefined {
  if (width !== undefined && height !== undefined) return width * height;
  if (width !== undefined) return (width * width * source.height) / source.width;
  if (height !== undefined) return (height * height * source.width) / source.height;
  return undefined;
}
