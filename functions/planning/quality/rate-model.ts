import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { JobResult } from '../../../shared/protocol/jobs.ts';
import type { PlannedQuality } from '../encoding-plan.ts';

export type Point = JobResult<'quality'>['points'][number];
export type MeasuredRung = PlannedQuality['rungs'][number];

/** A measure of a rung as a function of its CRF. */
type Curve = (crf: number) => number;
export type RungCurves = { xpsnrDb: Curve; logBitrate: Curve };
type Trial = RungCurves & { logPixels: number };

/** Limits against samples that say nothing about other qualities, such as black frames. */
const dbPerCrf = { min: -1.5, max: -0.02 };
const logBitratePerCrf = { min: -0.5, max: -0.03 };

/**
 * XPSNR and the logarithm of the bitrate of each rung. They lie between those of the next smaller and the next larger
 * rung that was measured. Undefined when a trial has no result.
 */
export function rateModel(
  { spec, rungs }: PlannedQuality,
  points: Point[],
): ((rung: MeasuredRung) => RungCurves) | undefined {
  const trials = spec.trials.map(({ rung: { name, codec } }): Trial | undefined => {
    const planned = rungs.find((rung) => rung.name === name);
    const byCrf = Map.groupBy(
      points.filter((point) => point.rung === name),
      ({ crf }) => crf,
    );
    if (!planned || byCrf.size < 2) return undefined;
    const measured = [...byCrf.values()].map((each) => summary(each, spec.grid)).sort((a, b) => a.crf - b.crf);
    // At other scales of CRF than that of H.264, a step changes less.
    const scale = 51 / videoCodecProperties[codec].crf.max;
    const curve = (key: 'xpsnrDb' | 'logBitrate', { min, max }: typeof dbPerCrf): Curve =>
      curveThrough(
        measured.map((one) => [one.crf, one[key]]),
        { min: min * scale, max: max * scale },
      );
    return {
      logPixels: logPixelsOf(planned),
      xpsnrDb: curve('xpsnrDb', dbPerCrf),
      logBitrate: curve('logBitrate', logBitratePerCrf),
    };
  });
  const bySize = trials.filter((trial) => trial !== undefined).sort((a, b) => a.logPixels - b.logPixels);
  if (bySize.length === 0 || bySize.length < trials.length) return undefined;
  const defaultCrf = videoCodecProperties[spec.trials[0]!.rung.codec].crf.default;
  return (rung) => curvesOf(logPixelsOf(rung), bySize, defaultCrf);
}

/** Straight lines between the measured points, and as steep beyond them as next to them. */
function curveThrough(points: [crf: number, value: number][], slopes: { min: number; max: number }): Curve {
  const lines = points.slice(1).map(([toCrf, toValue], n) => {
    const [crf, value] = points[n]!;
    return { crf, value, slope: Math.min(slopes.max, Math.max(slopes.min, (toValue - value) / (toCrf - crf))) };
  });
  return (crf) => {
    const line = lines.findLast((each) => each.crf <= crf) ?? lines[0]!;
    return line.value + line.slope * (crf - line.crf);
  };
}

/** As in the ladder: the bitrate grows with the pixels to the power of 0.75. */
const bitrateExponent = 0.75;

function curvesOf(logPixels: number, trials: Trial[], defaultCrf: number): RungCurves {
  const from = trials.slice(0, -1).findLast((trial) => trial.logPixels <= logPixels) ?? trials[0]!;
  const to = trials[trials.indexOf(from) + 1];
  if (!to) {
    const added = bitrateExponent * (logPixels - from.logPixels);
    return { xpsnrDb: from.xpsnrDb, logBitrate: (crf) => from.logBitrate(crf) + added };
  }
  const fraction = (logPixels - from.logPixels) / (to.logPixels - from.logPixels);
  const within = Math.min(1, fraction);
  const between = (key: keyof RungCurves, crf: number): number =>
    from[key](crf) + within * (to[key](crf) - from[key](crf));
  // In frames that are too large to be measured, the quality hardly changes further, and the bitrate grows on.
  const added = (fraction - within) * (to.logBitrate(defaultCrf) - from.logBitrate(defaultCrf));
  return {
    xpsnrDb: (crf) => between('xpsnrDb', crf),
    logBitrate: (crf) => between('logBitrate', crf) + added,
  };
}

const logPixelsOf = ({ width, height }: Pick<MeasuredRung, 'width' | 'height'>): number => Math.log(width * height);

/** All samples of one encode together. */
function summary(points: Point[], { frameRate, gopFrames }: PlannedQuality['spec']['grid']) {
  const frames = points.reduce((sum, point) => sum + point.frames, 0);
  const bytesPerFrame =
    points.reduce((sum, point) => sum + point.frames * meanFrameBytes(point, gopFrames), 0) / frames;
  // XPSNR of several frames is that of their mean distortion, as an amplitude.
  const distortion = points.reduce((sum, point) => sum + point.frames * 10 ** (-point.xpsnrDb / 20), 0) / frames;
  return {
    crf: points[0]!.crf,
    xpsnrDb: -20 * Math.log10(distortion),
    logBitrate: Math.log(8 * bytesPerFrame * toNumber(frameRate)),
  };
}

/** The mean over a whole GOP: a sample may be shorter, so that its key frame would count too much. */
function meanFrameBytes({ bytes, keyFrameBytes, frames }: Point, gopFrames: number): number {
  const keyFrames = Math.ceil(frames / gopFrames);
  if (keyFrames === frames) return keyFrameBytes;
  const others = Math.max(0, bytes - keyFrames * keyFrameBytes) / (frames - keyFrames);
  return (keyFrameBytes + (gopFrames - 1) * others) / gopFrames;
}
