import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { Rung, VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { QualitySpec, QualityTrial } from '../../../shared/protocol/jobs.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { PlannedQuality } from '../encoding-plan.ts';
import { estimatedCpuSeconds } from '../estimated-cpu-seconds.ts';
import type { Variant } from '../stream-variants.ts';
import type { EncodeGroup } from '../video/encode-groups.ts';
import { type Presentation, presentedFrames } from '../video/frame-grid.ts';
import { qualityPeakFactor } from '../video/ladder.ts';
import { frameSize, type PlannedRung } from '../video/rungs.ts';
import { waitsForQuality } from './decided-plan.ts';
import { planSamples } from './samples.ts';
import { sampleTargetDb } from './target.ts';

type Encodes = {
  source: VideoSource;
  groups: EncodeGroup[];
  variants: Variant<PlannedRung>[];
  presentation: Presentation;
};
type Indexed = { track: VideoTrack; frames: FrameIndex };

/**
 * The share of the estimated CPU time of a video that its measurement may take. The goal is 5 % of the real time, which
 * is shorter than estimated for pictures that are simple to encode.
 */
const budgetShare = 0.03;
/** What a sample takes besides its encodes: seeking, scaling, and decoding the encoded frames. */
const overheadFactor = 1.4;
/** CPU seconds for the comparison of a million pixels. */
const compareSecondsPerMegapixel = 0.008;
const maxSamples = 5;
const maxSampleSeconds = 2;
/** Less than this says too little about a video. */
const minTotalSeconds = 0.5;

/**
 * What is measured for the rungs of a ladder of constant quality. Undefined where nothing waits for it: for a video
 * that is encoded completely in the first phase, or that is so short that a measurement would take too much time.
 */
export function planQuality(encodes: Encodes, indexed: Indexed): PlannedQuality | undefined {
  const affordable = affordableMeasurements(encodes).find(({ totalSeconds }) => totalSeconds >= minTotalSeconds);
  if (!affordable) return undefined;
  const totalSeconds = Math.min(affordable.totalSeconds, maxSamples * maxSampleSeconds);
  return planMeasurement(encodes, indexed, { ...affordable, totalSeconds });
}

type Measurement = { trials: QualityTrial[]; totalSeconds: number };

/**
 * Measurements of all rungs and of few, each with the seconds of source for a small share of the CPU time of the
 * encodes.
 */
export function affordableMeasurements({ groups, variants }: Pick<Encodes, 'groups' | 'variants'>): Measurement[] {
  const budgetSeconds = budgetShare * groups.reduce((sum, group) => sum + groupSeconds(group), 0);
  const { grid } = groups[0] ?? {};
  const rungs = measurableRungs(variants);
  if (!grid || rungs.length === 0) return [];
  return [rungs, fewRungs(rungs)].map(trialsOf).map((trials) => {
    const estimate = (endFrame: number) => sampleCpuSeconds({ grid, trials }, { startFrame: 0, endFrame });
    const perSecond = estimate(toNumber(grid.frameRate)) - estimate(0);
    return { trials, totalSeconds: budgetSeconds / perSecond };
  });
}

/** Samples of so many seconds of source, at even distances, for trials of rungs. */
export function planMeasurement(
  { source, groups, variants, presentation }: Encodes,
  indexed: Indexed,
  { trials, totalSeconds }: Measurement,
): PlannedQuality | undefined {
  const first = groups.find(waitsForQuality);
  // Its frames are found by counting from the first one, so that a sample would have to decode all frames before it.
  if (!first || indexed.track.editShifts) return undefined;
  const { grid, rungs: firstRungs } = first;
  const { item } = variants.find(({ name }) => name === firstRungs[0]?.name)!;
  const samples = planSamples({ ...indexed, formatName: source.formatName }, grid, {
    count: Math.min(maxSamples, Math.max(1, Math.round(totalSeconds / 1.5))),
    totalSeconds,
    pictures: presentedFrames(indexed.track, item, presentation).pictures,
  });
  if (samples.length === 0) return undefined;
  return {
    spec: { kind: 'quality', source, grid, samples, trials },
    rungs: cappedRungs(variants).map(({ rung, tracks, capBps }) => {
      const { width, height } = frameSize(rung);
      return { name: rung.name, tracks, width, height, capBps };
    }),
  };
}

/** The CPU seconds that a measurement is estimated to take. */
export const qualityCpuSeconds = (spec: QualitySpec): number =>
  spec.samples.reduce((sum, sample) => sum + sampleCpuSeconds(spec, sample), 0);

function sampleCpuSeconds(
  { grid, trials }: Pick<QualitySpec, 'grid' | 'trials'>,
  sample: Parameters<typeof estimatedCpuSeconds>[0],
): number {
  const encoded = trials.flatMap(({ rung }) => [rung, rung]);
  const megapixels = encoded.reduce((sum, rung) => sum + pixels(rung), 0) / 1e6;
  const compared = (sample.endFrame - sample.startFrame) * megapixels;
  return overheadFactor * estimatedCpuSeconds(sample, grid, encoded) + compareSecondsPerMegapixel * compared;
}

/** The CPU seconds in which a chunk is begun. The queue estimates more. */
const chunkStartSeconds = 0.3;

function groupSeconds({ chunks, grid, rungs }: EncodeGroup): number {
  const startSeconds = estimatedCpuSeconds({ startFrame: 0, endFrame: 0 }, grid, rungs);
  const seconds = chunks.map((chunk) => estimatedCpuSeconds(chunk, grid, rungs) - startSeconds + chunkStartSeconds);
  return seconds.reduce((sum, one) => sum + one, 0);
}

type CappedRung = { rung: Rung; tracks: string[]; capBps: number };

/** The rungs with a maximum bitrate, each with the names of all its variants. */
function cappedRungs(variants: Variant<PlannedRung>[]): CappedRung[] {
  return [...Map.groupBy(variants, ({ item }) => item)].flatMap(([{ rung }, named]) => {
    const { rate, codec, copied } = rung;
    if (copied || rate.mode !== 'crf' || rate.maxBitrateBps === null) return [];
    return [{ rung, tracks: named.map(({ name }) => name), capBps: rate.maxBitrateBps / qualityPeakFactor(codec) }];
  });
}

/** Larger frames cost too much. */
const largePixels = 2048 * 1152;

/** The rungs that are small enough to be measured, or else the smallest; the smallest first. */
function measurableRungs(variants: Variant<PlannedRung>[]): CappedRung[] {
  const bySize = cappedRungs(variants).toSorted((a, b) => pixels(a.rung) - pixels(b.rung));
  return bySize.filter(({ rung }, n) => n === 0 || pixels(rung) <= largePixels);
}

/**
 * The smallest rung, the largest and one between them. The others follow from these: grain, for example, is in large
 * frames only, and small frames have little that is flat.
 */
function fewRungs(bySize: CappedRung[]): CappedRung[] {
  const [small, large] = [bySize[0]!, bySize.at(-1)!];
  const middlePixels = Math.sqrt(pixels(small.rung) * pixels(large.rung));
  const distance = ({ rung }: CappedRung): number => Math.abs(Math.log(pixels(rung) / middlePixels));
  const middle = bySize.reduce((closest, one) => (distance(one) < distance(closest) ? one : closest));
  return [...new Set([small, middle, large])];
}

function trialsOf(rungs: CappedRung[]): QualityTrial[] {
  const scale = videoCodecProperties[rungs[0]!.rung.codec].crf;
  const step = Math.round(scale.max / 16);
  const crfs = {
    finerCrf: scale.default - step,
    firstCrf: scale.default + 2 * step,
    coarserCrf: scale.default + 5 * step,
  };
  return rungs.map(({ rung, capBps }) => ({ rung, ...crfs, capBps, targetXpsnrDb: sampleTargetDb(frameSize(rung)) }));
}

function pixels(rung: Rung): number {
  const { width, height } = frameSize(rung);
  return width * height;
}
