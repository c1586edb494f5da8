import type { Rational } from '../../../shared/media/rational.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import { rescale } from '../../../shared/media/rescale.ts';
import type { FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';

/** Frame times before the output clock is known. Frame 0 is shown at `sourceStartSeconds` of the source. */
export type FrameTiming = Pick<FrameGrid, 'mode' | 'frameRate' | 'sourceStartSeconds'> & { frameCount: number };

const minTimescale = 10_000;

/**
 * Frame times of a track at an output rate. A constant source rate that is kept passes frame by frame. Otherwise frames
 * are sampled on a grid of multiples of the frame duration from source time 0, which is the same for every chunk. The
 * number of frames equals that of FFmpeg's fps filter (round=near), and is at least one.
 */
export function timeFrames(track: VideoTrack, frameRate: Rational, isCapped: boolean): FrameTiming {
  if (track.constantFrameRate && !isCapped) {
    return {
      mode: 'passthrough',
      frameRate,
      sourceStartSeconds: track.startPts * toNumber(track.timeBase),
      frameCount: track.frameCount,
    };
  }
  const frame = { num: frameRate.den, den: frameRate.num };
  const first = rescale(track.startPts, track.timeBase, frame);
  const after = rescale(track.endPts, track.timeBase, frame);
  return {
    mode: 'grid',
    frameRate,
    sourceStartSeconds: first * toNumber(frame),
    frameCount: Math.max(1, after - first),
  };
}

/**
 * The grid on the output clock. GOPs are whole frames and segments whole GOPs, as close as possible to the requested
 * seconds.
 */
export function frameGrid(
  { mode, frameRate, sourceStartSeconds }: FrameTiming,
  { originSeconds, gopSeconds, segmentSeconds }: { originSeconds: number; gopSeconds: number; segmentSeconds: number },
): FrameGrid {
  const { timescale, ticksPerFrame } = trackClock(frameRate);
  const fps = toNumber(frameRate);
  const gopFrames = Math.max(1, Math.round(gopSeconds * fps));
  const gops = Math.max(1, Math.round((segmentSeconds * fps) / gopFrames));
  return {
    mode,
    frameRate,
    timescale,
    ticksPerFrame,
    startTicks: Math.round((sourceStartSeconds - originSeconds) * timescale),
    sourceStartSeconds,
    gopFrames,
    segmentFrames: gopFrames * gops,
  };
}

/**
 * A clock on which a frame lasts a whole number of ticks: 1001 of 30,000 for 30000/1001 fps, 1000 of 25,000 for 25 fps.
 */
function trackClock({ num, den }: Rational): { timescale: number; ticksPerFrame: number } {
  const factor = num >= minTimescale ? 1 : 1000 * Math.ceil(minTimescale / (1000 * num));
  const timescale = num * factor;
  // MP4 has 32 bits for the timescale, and some parsers read them as signed.
  if (timescale >= 2 ** 31)
    throw new JobError('INPUT_UNSUPPORTED', 'The frame rate of the video is not usable. Upload it with a common one.');
  return { timescale, ticksPerFrame: den * factor };
}
