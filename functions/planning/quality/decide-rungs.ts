import { videoCodecFacts } from '../../../shared/media/codecs.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { JobResult } from '../../../shared/protocol/jobs.ts';
import type { PlannedQuality } from '../encoding-plan.ts';

type Point = JobResult<'quality'>['points'][number];
type Rung = PlannedQuality['rungs'][number];

/** What a measurement changes in a plan, by the names of tracks. Other tracks are encoded as planned. */
export type QualityDecision = {
  crf: Record<string, number>;
  /** tracks that are not encoded, each with one sentence for the uploader */
  leftOut: Record<string, string>;
};

export const nothingDecided: QualityDecision = { crf: {}, leftOut: {} };

/**
 * The XPSNR of luma that a rung shall have, in its own frame size: at 40 dB differences are hardly visible. A smaller
 * rung has less, 38 dB for 720p and 34.1 dB for 240p: with the quality of the larger ones, it would need nearly their
 * bitrate.
 */
export const targetXpsnrDb = ({ width, height }: Pick<Rung, 'width' | 'height'>): number =>
  39.5 - 1.25 * Math.max(0, Math.log2((1920 * 1080) / (width * height)));
/** The quality between samples differs. */
const marginDb = 0.6;
/** Half a step of CRF is 6 % of the bitrate. */
const capMarginCrf = 0.5;
/** How far the quality may be from the default of the codec, as a share of the scale: 8 of 51 in H.264. */
const furthestShare = 8 / 51;
/** The share of the bitrate of a rung at which the next smaller one helps no player; that of the ladder is the same. */
const maxStepRatio = 0.8;
/** Every viewer has this bitrate, the smallest of the table: a rung that needs less makes smaller ones useless. */
const sufficientBps = 150_000;

/**
 * The CRF of each rung: the one with which it has the target quality, or its maximum bitrate if that is reached first.
 * Rungs are left out, if they need nearly as much bitrate as the next larger one, or if a larger one suffices for
 * everyone.
 * @param kept tracks that cannot be left out
 */
export function decideRungs(quality: PlannedQuality, points: Point[], kept: ReadonlySet<string>): QualityDecision {
  const model = modelOf(quality, points);
  if (!model) return nothingDecided;
  const chosen = quality.rungs.map((rung) => ({ rung, ...chooseCrf(quality, rung, model) }));
  const decision: QualityDecision = { crf: {}, leftOut: {} };
  let above: (typeof chosen)[number] | undefined;
  for (const one of chosen) {
    const reason = above && reasonToLeaveOut(one, above);
    const isKept = one.rung.tracks.some((track) => kept.has(track));
    for (const track of one.rung.tracks) {
      if (reason && !isKept) decision.leftOut[track] = reason;
      else decision.crf[track] = one.crf;
    }
    if (!reason) above = one;
  }
  return decision;
}

type Chosen = { rung: Rung; crf: number; bitrateBps: number };

function reasonToLeaveOut({ rung, bitrateBps }: Chosen, above: Chosen): string | undefined {
  if (above.bitrateBps <= sufficientBps) {
    return `${rung.name} is left out: ${above.rung.name} needs only ${kilobits(above.bitrateBps)} kbit/s for this video.`;
  }
  if (bitrateBps <= maxStepRatio * above.bitrateBps) return undefined;
  return `${rung.name} is left out: it would need nearly the bitrate of ${above.rung.name} for this video.`;
}

const kilobits = (bitrateBps: number): number => Math.round(bitrateBps / 1000);

/** XPSNR and the logarithm of the bitrate of a rung, both as linear functions of the CRF. */
type Line = { atDefault: number; perCrf: number };
type Lines = { xpsnrDb: Line; logBitrate: Line };
type Model = (rung: Rung) => Lines;

/** Limits against samples that say nothing about other qualities, such as black frames. */
const dbPerCrf = { min: -1.5, max: -0.02 };
const logBitratePerCrf = { min: -0.3, max: -0.03 };

/** The lines of the trials, and between them those of the other rungs. Undefined when a trial has no result. */
function modelOf({ spec, rungs }: PlannedQuality, points: Point[]): Model | undefined {
  const measured = spec.trials.map(({ rung, crfs: [fine, coarse] }) => {
    const of = (crf: number | undefined) =>
      summary(
        points.filter((point) => point.rung === rung.name && point.crf === crf),
        spec.grid,
      );
    const [low, high] = [of(fine), of(coarse)];
    const planned = rungs.find(({ name }) => name === rung.name);
    if (!low || !high || !planned) return undefined;
    // At other scales of CRF than that of H.264, a step changes less.
    const scale = videoCodecFacts[rung.codec].crf;
    const line = (key: 'xpsnrDb' | 'logBitrate', { min, max }: { min: number; max: number }): Line => {
      const slope = (high[key] - low[key]) / (high.crf - low.crf);
      const perCrf = Math.min((max * 51) / scale.max, Math.max((min * 51) / scale.max, slope));
      const middle = { crf: (low.crf + high.crf) / 2, value: (low[key] + high[key]) / 2 };
      return { atDefault: middle.value + perCrf * (scale.default - middle.crf), perCrf };
    };
    const lines = { xpsnrDb: line('xpsnrDb', dbPerCrf), logBitrate: line('logBitrate', logBitratePerCrf) };
    return { logPixels: logPixelsOf(planned), ...lines };
  });
  const [small, large = small] = measured;
  if (!small || !large || measured.includes(undefined)) return undefined;
  return (rung) => {
    const logPixels = logPixelsOf(rung);
    if (large === small) return { ...small, logBitrate: ofSize(small.logBitrate, logPixels - small.logPixels) };
    const place = (logPixels - small.logPixels) / (large.logPixels - small.logPixels);
    return {
      // In frames that are too large to be measured, the quality hardly changes further.
      xpsnrDb: between(small.xpsnrDb, large.xpsnrDb, Math.min(1, place)),
      logBitrate: between(small.logBitrate, large.logBitrate, place),
    };
  };
}

/** As in the ladder: the bitrate grows with the pixels to the power of 0.75. */
const ofSize = ({ atDefault, perCrf }: Line, logPixels: number): Line => ({
  atDefault: atDefault + 0.75 * logPixels,
  perCrf,
});

/** The line at a place between two others, 0 to 1; outside of that, the value follows and the slope does not. */
function between(from: Line, to: Line, place: number): Line {
  const within = Math.min(1, Math.max(0, place));
  return {
    atDefault: from.atDefault + place * (to.atDefault - from.atDefault),
    perCrf: from.perCrf + within * (to.perCrf - from.perCrf),
  };
}

const logPixelsOf = ({ width, height }: Pick<Rung, 'width' | 'height'>): number => Math.log(width * height);

/** All samples of one encode together; undefined without a sample. */
function summary(points: Point[], { frameRate, gopFrames }: PlannedQuality['spec']['grid']) {
  const frames = points.reduce((sum, point) => sum + point.frames, 0);
  if (frames === 0) return undefined;
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

/** What a rung that cannot have the target may lose of the quality that its maximum bitrate would give. */
const toleratedDb = 0.3;

function chooseCrf({ spec }: PlannedQuality, rung: Rung, model: Model): { crf: number; bitrateBps: number } {
  const scale = videoCodecFacts[spec.trials[0]!.rung.codec].crf;
  const { xpsnrDb, logBitrate } = model(rung);
  const reaches = (value: number, { atDefault, perCrf }: Line): number => scale.default + (value - atDefault) / perCrf;
  const forTarget = Math.floor(reaches(targetXpsnrDb(rung) + marginDb, xpsnrDb));
  const forCap = Math.ceil(reaches(Math.log(rung.capBps), logBitrate) + capMarginCrf);
  const furthest = Math.round(furthestShare * scale.max);
  // Far from the measured qualities, noise needs much less than the line says. The buffer model limits the rest.
  const finest = Math.max(scale.default - furthest, Math.min(forCap, scale.default + 2 * furthest));
  // In grain, many steps can change XPSNR by less than is tolerated. Half of them, because it is not all that is seen.
  const asGood = Math.min(finest + Math.floor(-toleratedDb / xpsnrDb.perCrf), scale.default + Math.round(furthest / 2));
  const wanted = forTarget >= finest ? forTarget : asGood;
  const crf = Math.min(scale.max, Math.max(finest, Math.min(scale.default + furthest, wanted)));
  const bitrateBps = Math.exp(logBitrate.atDefault + logBitrate.perCrf * (crf - scale.default));
  return { crf, bitrateBps: Math.min(rung.capBps, bitrateBps) };
}
