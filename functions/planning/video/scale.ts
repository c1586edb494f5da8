import { type Rational, rational } from '../../../shared/media/rational.ts';
import type { Size } from './display-size.ts';

/** Maximum size of a frame, in landscape orientation. An absent side is not bounded. */
export type Box = { width?: number | undefined; height?: number | undefined };

export type Fit = 'contain' | 'pad' | 'crop';

/**
 * `width` × `height` is the size after scaling from `crop`; `pad` is the size with bars around it. None exceeds the
 * source.
 */
export type Fitted = Size & {
  crop: Size | null;
  pad: Size | null;
  /** pixels of the requested box; of the scaled frame when the box has no bounds */
  boxPixels: number;
  /** the source is smaller than the box */
  isClamped: boolean;
  /** 1:1 unless rounding to even sizes would distort the image by more than 1 % */
  sampleAspectRatio: Rational;
};

/** The limit of the encoders, for sides without a bound. */
const maxSide = 8192;

const floorEven = (length: number): number => Math.max(2, 2 * Math.floor(length / 2));
const roundEven = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

/**
 * Fits an upright frame into a box without enlarging it; the box is rotated for portrait frames. Sides shorter than
 * `minSide`, the minimum of the encoder, are set to it, and the sample aspect ratio compensates for the distortion.
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
    // A cropped frame has the shape of the box to within one pixel, so it is scaled to the box exactly.
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
    // a padded frame keeps square pixels, so that it has the requested shape
    sampleAspectRatio: isFramed ? rational(1, 1) : sampleAspectRatio(picture, result),
    crop: picture === source ? null : picture,
    pad: isFramed ? frame : null,
    boxPixels: boxPixels(source, asked) ?? result.width * result.height,
    isClamped: room > 1 && (asked.width !== undefined || asked.height !== undefined),
  };
}

/** Distortion that is not visible. */
const maxDistortion = 0.01;
/** A smaller frame with square pixels is preferred to other pixel shapes while it keeps this share of the pixels. */
const minShareOfPixels = 0.75;

/** Reduces the short side, and the long side to match, where rounding to even sizes distorts the image. */
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

/** The sample aspect ratio with which `scaled` has the shape of `picture`. */
const stretchOf = (picture: Size, scaled: Size): number =>
  (picture.width * scaled.height) / (picture.height * scaled.width);

/** The limit of x264. */
const maxAspectTerm = 4096;

/** The nearest fraction with small terms: exact terms may exceed the fields of the codecs. */
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

/** The largest centred part with the shape of the box; the source itself when that is all of it. */
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
