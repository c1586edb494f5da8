import type { Rational } from '../../../shared/media/rational.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { FrameGrid } from '../../../shared/protocol/encode-spec.ts';
import { JobError } from '../../../shared/protocol/job-errors.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { sourceRate } from './frame-rate.ts';

/** What all tracks of a plan cover together: second 0 of the outputs is second `originSeconds` of the source. */
export type Presentation = { originSeconds: number; durationSeconds: number };

/**
 * Frame times before the output clock is known. Frame 0 is shown at `sourceStartSeconds` of the source. The pictures of
 * the source are in frames [pictures.start, pictures.end): the frames before and after these repeat the first and the
 * last picture.
 */
export type FrameTiming = Pick<FrameGrid, 'mode' | 'frameRate' | 'sourceStartSeconds' | 'pictureDelaySeconds'> & {
  frameCount: number;
  pictures: PictureRange;
};
export type PictureRange = { start: number; end: number };

const minTimescale = 10_000;
/** Share of a frame. Seconds are not exact, nor are the times of a container. */
const roundingTolerance = 0.001;

/**
 * Frame times of a track at an output rate. A constant source rate that is kept passes frame by frame, and a single
 * picture is repeated. Otherwise frames are selected on a grid that starts with the first one, so that sources with a
 * constant rate and some missing frames are in the middle of its steps. At a lower rate than that of the source, the
 * nearest time on the grid of the source counts: every second, third or n-th frame is selected, whatever the jitter of
 * its time.
 */
export function timeFrames(track: VideoTrack, frameRate: Rational, isCapped: boolean): FrameTiming {
  const sourceStartSeconds = track.startPts * toNumber(track.timeBase);
  const seconds = (track.endPts - track.startPts) * toNumber(track.timeBase);
  const fps = toNumber(frameRate);
  const isStill = track.frameCount === 1;
  if (isStill || (track.constantFrameRate && !isCapped)) {
    return {
      mode: 'passthrough',
      frameRate,
      sourceStartSeconds,
      frameCount: isStill ? Math.max(1, Math.round(seconds * fps)) : track.frameCount,
      pictures: { start: 0, end: track.frameCount },
    };
  }
  const halfSourceFrame = isCapped ? 0.5 / toNumber(sourceRate(track)) : 0.5 / fps;
  const frameCount = Math.max(1, Math.ceil((seconds - halfSourceFrame) * fps - roundingTolerance));
  return {
    mode: 'grid',
    frameRate,
    sourceStartSeconds,
    ...(isCapped && { pictureDelaySeconds: 0.5 / fps - halfSourceFrame }),
    frameCount,
    pictures: { start: 0, end: frameCount },
  };
}

export const endSecondsOf = ({ sourceStartSeconds, frameCount, frameRate }: FrameTiming): number =>
  sourceStartSeconds + frameCount / toNumber(frameRate);

/**
 * The same frames with repeats of the first and the last picture, so that they cover a presentation. Both ends are less
 * than a frame from those of the presentation: an offset of less than a frame stays, because whole frames at both ends
 * leave the times of all pictures as they are. Frames that are not in the presentation are left out, as in a stream
 * that is added to a video which was planned without it.
 */
export function coverPresentation(timing: FrameTiming, { originSeconds, durationSeconds }: Presentation): FrameTiming {
  const { mode, frameRate, pictures } = timing;
  const fps = toNumber(frameRate);
  const wholeFrames = (seconds: number): number =>
    Math.trunc(seconds * fps + Math.sign(seconds) * roundingTolerance) || 0;
  // A single picture has no other times to keep, and an offset of a frame that lasts a second would be visible.
  const isStill = mode === 'passthrough' && pictures.end - pictures.start === 1;
  const sourceStartSeconds = isStill ? originSeconds : timing.sourceStartSeconds;
  const before = wholeFrames(sourceStartSeconds - originSeconds);
  const after = wholeFrames(originSeconds + durationSeconds - endSecondsOf({ ...timing, sourceStartSeconds }));
  return {
    ...timing,
    sourceStartSeconds: sourceStartSeconds - before / fps,
    frameCount: Math.max(1, before + timing.frameCount + after),
    pictures: { start: pictures.start + before, end: pictures.end + before },
  };
}

/** The frames of a rung over a whole presentation. */
export const presentedFrames = (
  track: VideoTrack,
  { frameRate, isCapped }: { frameRate: Rational; isCapped: boolean },
  presentation: Presentation,
): FrameTiming => coverPresentation(timeFrames(track, frameRate, isCapped), presentation);

/**
 * The grid on the output clock. GOPs are whole frames and segments whole GOPs, as close as possible to the requested
 * seconds.
 */
export function frameGrid(
  { mode, frameRate, sourceStartSeconds, pictureDelaySeconds }: Omit<FrameTiming, 'frameCount' | 'pictures'>,
  { originSeconds, gopSeconds, segmentSeconds }: { originSeconds: number; gopSeconds: number; segmentSeconds: number },
): FrameGrid {
  const { timescale, ticksPerFrame } = trackClock(frameRate);
  const fps = toNumber(frameRate);
  const gopFrames = Math.max(1, Math.round(gopSeconds * fps));
  // rungs of different rates must not round half a GOP differently
  const gops = Math.max(1, Math.round((segmentSeconds * fps) / gopFrames + roundingTolerance));
  return {
    mode,
    frameRate,
    timescale,
    ticksPerFrame,
    // At a lower frame rate the first frame can be up to half a frame before the zero of a clock that another plan set.
    startTicks: Math.max(0, Math.round((sourceStartSeconds - originSeconds) * timescale)),
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
