import type { Rational } from '../../../shared/media/rational.ts';
import { gcd } from '../../../shared/media/rational.ts';
import type { PictureChange } from '../../../shared/protocol/probe-result.ts';

/** The size of a frame in pixels. */
export type Size = { width: number; height: number };

type CodedFrame = Size & {
  sampleAspectRatio: Rational;
  rotationDegrees: 0 | 90 | 180 | 270;
  change?: PictureChange;
};

const commonRatios = [
  [16, 9],
  [9, 16],
  [4, 3],
  [3, 4],
  [21, 9],
  [3, 2],
  [2, 3],
  [1, 1],
  [2, 1],
] as const;

/** No camera or disc format is more anamorphic. Headers that claim more are wrong and treated as square pixels. */
const maxSampleAspect = 8;

/** The size of the picture that is encoded: as displayed, and as a template changes it. */
export function displaySize(frame: CodedFrame): Size {
  const upright = uprightSize(frame);
  if (!frame.change) return upright;
  const { frame: whole, crop = whole, rotateDegrees = 0 } = frame.change;
  const part = {
    width: Math.max(1, Math.round((upright.width * crop.width) / whole.width)),
    height: Math.max(1, Math.round((upright.height * crop.height) / whole.height)),
  };
  return rotateDegrees % 180 === 0 ? part : { width: part.height, height: part.width };
}

/** The size as displayed: with the sample aspect ratio applied to the width, then rotated. */
export function uprightSize({ width, height, sampleAspectRatio, rotationDegrees }: Omit<CodedFrame, 'change'>): Size {
  const aspect = sampleAspectRatio.num / sampleAspectRatio.den;
  const isInvalid = aspect > maxSampleAspect || aspect < 1 / maxSampleAspect;
  const displayWidth = isInvalid ? width : Math.max(1, Math.round(width * aspect));
  return rotationDegrees === 90 || rotationDegrees === 270
    ? { width: height, height: displayWidth }
    : { width: displayWidth, height };
}

/** `16:9` and the like: a common ratio within 1 %, otherwise the exact ratio in lowest terms. */
export function aspectRatio({ width, height }: Size): string {
  const common = commonRatios.find(([w, h]) => Math.abs((width * h) / (height * w) - 1) <= 0.01);
  const divisor = gcd(width, height);
  return common ? common.join(':') : `${width / divisor}:${height / divisor}`;
}
