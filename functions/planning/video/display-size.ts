import type { Rational } from '../../../shared/media/rational.ts';
import { gcd } from '../../../shared/media/rational.ts';

/** A picture in square pixels, upright. */
export type Size = { width: number; height: number };

type CodedPicture = Size & { sampleAspectRatio: Rational; rotationDegrees: 0 | 90 | 180 | 270 };

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

/** No camera or disc is anamorphic beyond this; headers that claim more are broken and read as square pixels. */
const maxSampleAspect = 8;

/** What a viewer sees: the sample aspect ratio applied to the width, then the rotation. */
export function displaySize({ width, height, sampleAspectRatio, rotationDegrees }: CodedPicture): Size {
  const aspect = sampleAspectRatio.num / sampleAspectRatio.den;
  const isBroken = aspect > maxSampleAspect || aspect < 1 / maxSampleAspect;
  const shown = isBroken ? width : Math.max(1, Math.round(width * aspect));
  return rotationDegrees === 90 || rotationDegrees === 270
    ? { width: height, height: shown }
    : { width: shown, height };
}

/** `16:9` and the like: the common ratio within 1 %, else the exact one in lowest terms. */
export function aspectRatio({ width, height }: Size): string {
  const common = commonRatios.find(([w, h]) => Math.abs((width * h) / (height * w) - 1) <= 0.01);
  const divisor = gcd(width, height);
  return common ? common.join(':') : `${width / divisor}:${height / divisor}`;
}
