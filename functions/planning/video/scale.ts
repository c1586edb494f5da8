import { type Rational, rational } from '../../../shared/media/rational.ts';
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
  /** the shape of a pixel: 1:1 unless even sizes would distort the picture by more than a hundredth */
  sampleAspectRatio: Rational;
};

/** The encoders' own limit, for boxes with a free side. */
const maxSide = 8192;

const floorEven = (length: number): number => Math.max(2, 2 * Math.floor(length / 2));
const roundEven = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

/**
 * Puts the upright picture into a box, turned for a portrait picture, without enlarging it. Sides shorter than `minSide`, the least that the encoder
 * takes, are brought up to it; what that does to the picture's shape, the shape of its pixels makes up for.
 */
export function fitInto(source: Size, landscapeBox: Box, fit: Fit, minSide = 2): Fitted {
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
  const rounded = keepShape(picture, {
    width: scaled(picture.width, box.width),
    height: scaled(picture.height, box.height),
  });

  const frame = {
    width: Math.max(minSide, floorEven(Math.min(box.width, source.width))),
    height: Math.max(minSide, floorEven(Math.min(box.height, source.height))),
  };
  const isFramed = fit === 'pad' && isClosed && (frame.width > rounded.width || frame.height > rounded.height);
  const result = isFramed ? rounded : atLeast(rounded, minSide);
  return {
    ...result,
    // bars keep square pixels, so that the frame has the shape that was asked for
    sampleAspectRatio: isFramed ? rational(1, 1) : sampleAspectRatio(picture, result),
    crop: picture === source ? null : picture,
    pad: isFramed ? frame : null,
    boxPixels: boxPixels(source, asked) ?? result.width * result.height,
    isClamped: room > 1 && (asked.width !== undefined || asked.height !== undefined),
  };
}

/** Players show less than this as the same shape. */
const maxDistortion = 0.01;
/** A smaller picture with square pixels is better than one that needs others, if it is not much smaller. */
const minShareOfPixels = 0.75;

/** Takes rows or columns off the short side, and the long side to match, where rounding to even sizes distorts the picture. */
function keepShape(picture: Size, rounded: Size): Size {
  if (Math.abs(stretchOf(picture, rounded) - 1) <= maxDistortion) return rounded;
  const isWide = picture.width > picture.height;
  const ratio = isWide ? picture.width / picture.height : picture.height / picture.width;
  const [long, short] = isWide ? [rounded.width, rounded.height] : [rounded.height, rounded.width];
  for (let less = short; less >= 2; less -= 2) {
    const matching = roundEven(less * ratio);
    if (matching > long) continue;
    if (matching * less < minShareOfPixels * long * short) break;
    const smaller = isWide ? { width: matching, height: less } : { width: less, height: matching };
    if (Math.abs(stretchOf(picture, smaller) - 1) <= maxDistortion) return smaller;
  }
  return rounded;
}

const atLeast = ({ width, height }: Size, minSide: number): Size => ({
  width: Math.max(minSide, width),
  height: Math.max(minSide, height),
});

/** How much wider pixels have to be than high for `scaled` to be shown in the shape of `picture`. */
const stretchOf = (picture: Size, scaled: Size): number =>
  (picture.width * scaled.height) / (picture.height * scaled.width);

/** x264 takes no larger terms. */
const maxAspectTerm = 4096;

/** The nearest fraction of small terms: exact ones may not fit the fields that codecs have for them. */
function sampleAspectRatio(picture: Size, scaled: Size): Rational {
  const stretch = stretchOf(picture, scaled);
  if (Math.abs(stretch - 1) <= maxDistortion) return rational(1, 1);
  const [larger, isWide] = stretch > 1 ? [stretch, true] : [1 / stretch, false];
  let best = { num: Math.round(larger), den: 1 };
  for (let den = 2; den <= 100 && larger * den <= maxAspectTerm; den++) {
    const num = Math.round(larger * den);
    if (Math.abs(num / den - larger) < Math.abs(best.num / best.den - larger)) best = { num, den };
  }
  return isWide ? rational(best.num, best.den) : rational(best.den, best.num);
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
