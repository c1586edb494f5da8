import type { Rational } from '../../../shared/media/rational.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { sourceRate } from './frame-rate.ts';

/** Frame times before the output clock is known. Frame 0 is shown at `sourceStartSeconds` of the source. */
export type FrameTiming = Pick<FrameGrid, 'mode' | 'frameRate' | 'sourceStartSeconds' | 'pictureDelaySeconds'> & {
  frameCount: number;
};

const minTimescale = 10_000;
/** Share of a frame. Seconds are not exact, nor are the times of a container. */
const roundingTolerance = 0.001;

/**
 * Frame times of a track at an output rate. A constant source rate that is kept passes frame by frame. Otherwise frames
 * are selected on a grid that starts with the first one, so that sources with a constant rate and some missing frames
 * are in the middle of its steps. At a lower rate than that of the source, the nearest time on the grid of the source
 * counts: every second, third or n-th frame is selected, whatever the jitter of its time.
 */
export function timeFrames(track: VideoTrack, frameRate: Rational, isCapped: boolean): FrameTiming {
  const sourceStartSeconds = track.startPts * toNumber(track.timeBase);
  if (track.constantFrameRate && !isCapped) {
    return { mode: 'passthrough', frameRate, sourceStartSeconds, frameCount: track.frameCount };
  }
  const fps = toNumber(frameRate);
  const halfSourceFrame = isCapped ? 0.5 / toNumber(sourceRate(track)) : 0.5 / fps;
  const seconds = (track.endPts - track.startPts) * toNumber(track.timeBase);
  return {
    mode: 'grid',
    frameRate,
    sourceStartSeconds,
    ...(isCapped && { pictureDelaySeconds: 0.5 / fps - halfSourceFrame }),
    frameCount: Math.max(1, Math.ceil((seconds - halfSourceFrame) * fps - roundingTolerance)),
  };
}

/**
 * The grid on the output clock. GOPs are whole frames and segments whole GOPs, as close as possible to the requested
 * seconds.
 */
export function frameGrid(
  { mode, frameRate, sourceStartSeconds, pictureDelaySeconds }: FrameTiming,
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
    ...(pictureDelaySeconds !== undefined && { pictureDelaySeconds }),
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
