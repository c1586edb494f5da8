import type { Rational } from '../../../shared/media/rational.ts';
import { formatRational, rational, toNumber } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';

const ntscBases = [24, 30, 48, 60, 120];
const maxNumerator = 1_000_000;

/**
 * Bytes in the source that account for one output frame: a repeated frame with its index entry takes about this much,
 * and so does a second of silence.
 */
export const bytesPerUnit = 16;

/** one hour at 1 fps, granted to every source */
const baseFrames = 3600;
/** repeats granted for each source frame: slides that change every ten minutes, at 1 fps */
const repeatsPerFrame = 600;
/** one hour at 30 fps, or 30 hours of slides; more repeats need more bytes in the source */
const maxRepeats = 108_000;

/** The maximum number of output frames for a file with `storedFrames` frames. */
export const maxOutputFrames = (sizeBytes: number, storedFrames: number): number =>
  baseFrames +
  storedFrames +
  Math.min(repeatsPerFrame * storedFrames, maxRepeats) +
  Math.floor(sizeBytes / bytesPerUnit);

/**
 * The rate of a source: its own if it is constant, otherwise that of the grid on which its frames are repeated, or a
 * whole part of it, if a recording that mostly stands still would have more repeats than its size allows.
 */
export function sourceRate({ averageFrameRate, gridFrameRate, ...track }: MeasuredTrack): Rational {
  if (!gridFrameRate) return averageFrameRate;
  const seconds = (track.endPts - track.startPts) * toNumber(track.timeBase);
  const bytes = ((track.bitrateBps ?? 0) * seconds) / 8;
  const every = Math.ceil((seconds * toNumber(gridFrameRate)) / maxOutputFrames(bytes, track.frameCount));
  const rate = rational(gridFrameRate.num, gridFrameRate.den * every);
  return toNumber(rate) < toNumber(averageFrameRate) ? averageFrameRate : rate;
}

type MeasuredTrack = Pick<
  VideoTrack,
  'averageFrameRate' | 'gridFrameRate' | 'startPts' | 'endPts' | 'timeBase' | 'bitrateBps' | 'frameCount'
>;

/**
 * The exact rate for a cap in decimal notation: 29.97 is 30000/1001; other values are rounded to thousandths. At least
 * 1 fps.
 */
export function capRate(framesPerSecond: number): Rational {
  const ntsc = ntscBases.find(
    (base) => Math.abs(framesPerSecond - (base * 1000) / 1001) < 0.011 && framesPerSecond < base,
  );
  if (ntsc !== undefined && framesPerSecond % 1 !== 0) return rational(ntsc * 1000, 1001);
  return rational(Math.max(1000, Math.round(framesPerSecond * 1000)), 1000);
}

/** The cap of entries without `fps`, and of every ladder. */
export const defaultMaxFps = 60;

/** Measured averages are slightly off. Dropping one frame in thousands would only cause a visible stutter. */
const nearlyEqual = 1.0005;

/** A whole part of the source's rate is used if it is at least this share of the cap: 50 becomes 25 below 30. */
const leastShareOfCap = 0.75;

/**
 * The source's rate if it is not above the cap. Otherwise every second, third or n-th frame of the source: the highest
 * such rate that is not above the cap, since others would repeat and leave out frames unevenly. If that is much lower
 * than the cap (12.5 for 25 and a cap of 24), it is the cap. Of 29.97 with a cap of 24 it is 23.976: every fifth frame
 * is left out, and with 24 one more each 42 s.
 */
export function outputRate(source: Rational, cap: number = defaultMaxFps): { frameRate: Rational; isCapped: boolean } {
  const limit = capRate(cap);
  const ratio = toNumber(source) / (toNumber(limit) * nearlyEqual);
  if (ratio <= 1) return { frameRate: approximate(source), isCapped: false };
  const every = Math.ceil(ratio);
  const isSufficient = toNumber(source) / every >= toNumber(limit) * leastShareOfCap;
  return {
    frameRate: isSufficient ? approximate(rational(source.num, source.den * every)) : inFamilyOf(source, limit),
    isCapped: true,
  };
}

/** The limit, for a source of 1000/1001 of a whole rate the same share of it. */
const inFamilyOf = (source: Rational, limit: Rational): Rational =>
  limit.den === 1 && ntscBases.some((base) => isSame(source, rational(base * 1000, 1001)))
    ? rational(limit.num * 1000, limit.den * 1001)
    : limit;
const isSame = (a: Rational, b: Rational): boolean => a.num * b.den === b.num * a.den;

/** A shorter time is not worth another rate. */
const leastStillSeconds = 2;

/**
 * The rate of a source that is shown for some seconds. A single picture, such as a cover with sound, is repeated once a
 * second: ten minutes of it are encoded in seconds.
 */
export const rateOver = (track: MeasuredTrack, seconds: number): Rational =>
  track.frameCount === 1 && seconds >= leastStillSeconds ? rational(1, 1) : sourceRate(track);

/**
 * The nearest fraction with a numerator of at most a million, less than one frame per year off. Larger terms overflow
 * the timescale of a track.
 */
export function approximate({ num, den }: Rational): Rational {
  if (num <= maxNumerator) return { num, den };
  let [previous, current] = [
    [0, 1],
    [1, 0],
  ] as [[number, number], [number, number]];
  let [dividend, divisor] = [num, den];
  while (divisor !== 0) {
    const whole = Math.floor(dividend / divisor);
    const next: [number, number] = [whole * current[0] + previous[0], whole * current[1] + previous[1]];
    if (next[0] > maxNumerator) break;
    [previous, current] = [current, next];
    [dividend, divisor] = [divisor, dividend % divisor];
  }
  return rational(current[0], current[1]);
}

type RatedRung = {
  frameRate: Rational;
  isCapped: boolean;
  entry: { fps?: number | undefined };
  rung: { name: string };
};

/** The rate of a source whose rate varies, and each rate of renditions that is neither that nor the one asked for. */
export const rateDecisions = (track: VideoTrack, rungs: RatedRung[]): Decision[] => [
  ...(track.gridFrameRate && rungs.length > 0 ? [chosenRate(track)] : []),
  ...[
    ...Map.groupBy(rungs.filter(isLowered), ({ frameRate, entry }) => `${formatRational(frameRate)},${entry.fps}`),
  ].map(([, members]) => cappedRate(track, members)),
];

function chosenRate(track: VideoTrack): Decision {
  const fps = decimal(sourceRate(track));
  const average = decimal(track.averageFrameRate);
  return {
    code: 'frame_rate_chosen',
    message: `The frame rate of the source varies, ${average} on average: ${fps} frames per second are used, and frames are repeated until the next one is due.`,
    facts: { fps, average_fps: average },
  };
}

const isLowered = ({ isCapped, frameRate, entry }: RatedRung): boolean =>
  isCapped && (entry.fps === undefined || toNumber(frameRate) !== toNumber(capRate(entry.fps)));

function cappedRate(track: VideoTrack, members: RatedRung[]): Decision {
  const [{ frameRate, entry }] = members as [RatedRung];
  const [fps, source] = [decimal(frameRate), decimal(sourceRate(track))];
  const limit = entry.fps ?? defaultMaxFps;
  const every = toNumber(sourceRate(track)) / toNumber(frameRate);
  const isWhole = Math.abs(every - Math.round(every)) < 0.001;
  const selected = isWhole ? `one of every ${Math.round(every)} frames` : 'a part of the frames';
  return {
    code: 'frame_rate_capped',
    message: `The source has ${source} frames per second, and at most ${limit} are asked for: ${selected} is used, which gives ${fps}.`,
    facts: { fps, source_fps: source, limit_fps: limit, streams: members.map(({ rung }) => rung.name).slice(0, 64) },
  };
}

const decimal = (rate: Rational): number => Math.round(toNumber(rate) * 1000) / 1000;
