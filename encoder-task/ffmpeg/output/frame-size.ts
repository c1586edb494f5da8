import { JobError } from '../../../shared/protocol/job-errors.ts';
import { maxPixels } from '../../../shared/protocol/probe-result.ts';

/**
 * libavutil's messages about a frame above `-max_pixels` or with an impossible size. Damaged headers cause the second
 * one for small frames too.
 */
const rejection = /Picture size (\d+)x(\d+) (?:is invalid|exceeds specified max pixel count)/g;

/** The error for a frame that a decoder rejected because of its size, if ffmpeg's messages contain one. */
export function frameTooLargeIn(messages: string): JobError | undefined {
  for (const [, width, height] of messages.matchAll(rejection)) {
    if (Number(width) * Number(height) > maxPixels) return frameTooLarge(Number(width), Number(height));
  }
  return undefined;
}

export const frameTooLarge = (width: number, height: number): JobError =>
  new JobError(
    'INPUT_TOO_LARGE',
    `The video is ${width} × ${height} pixels; the maximum is 8192 × 4320. Upload a smaller one.`,
  );
