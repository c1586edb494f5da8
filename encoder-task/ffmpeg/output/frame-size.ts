import { JobError } from '../../../shared/protocol/job-errors.ts';

/** 8192 × 4320. A decoder refuses a larger frame before it allocates memory for it. */
export const maxPixels = 8192 * 4320;

/** What libavutil says of a picture beyond `-max_pixels`, or too large for any memory. Damaged headers give rise to the second of small pictures too. */
const refusal = /Picture size (\d+)x(\d+) (?:is invalid|exceeds specified max pixel count)/g;

/** The error for a picture that a decoder refused for its size, if ffmpeg's messages tell of one. */
export function tooLargePicture(messages: string): JobError | undefined {
  for (const [, width, height] of messages.matchAll(refusal)) {
    if (Number(width) * Number(height) > maxPixels) return pictureTooLarge(Number(width), Number(height));
  }
  return undefined;
}

export const pictureTooLarge = (width: number, height: number): JobError =>
  new JobError(
    'INPUT_TOO_LARGE',
    `The picture is ${width} × ${height}; 8192 × 4320 pixels are the most. Upload a smaller one.`,
  );
