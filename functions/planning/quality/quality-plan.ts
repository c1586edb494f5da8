import { videoCodecFacts } from '../../../shared/media/codecs.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import type { Rung, VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { QualitySpec } from '../../../shared/protocol/jobs.ts';
import type { FrameIndex, VideoTrack } from '../../../shared/protocol/probe-result.ts';
import type { PlannedQuality } from '../encoding-plan.ts';
import { estimatedCpuSeconds } from '../estimated-cpu-seconds.ts';
import type { Variant } from '../stream-variants.ts';
import type { EncodeGroup } from '../video/encode-groups.ts';
import { qualityPeakFactor } from '../video/ladder.ts';
import { frameSize, type PlannedRung } from '../video/rungs.ts';
import { planSamples } from './samples.ts';

type Encodes = {
  source: VideoSource;
  groups: EncodeGroup[];
  variants: Variant<PlannedRung>[];
};
type Indexed = { track: VideoTrack; frames: FrameIndex };
type Trials = QualitySpec['trials'];

/** The share of the estimated CPU time of a video that its measurement may take; the goal is 5 % of the real time. */
const budgetShare = 0.035;
/** What a sample takes besides its encodes: seeking, scaling, and decoding the encoded frames. */
const overheadFactor = 1.4;
/** CPU seconds for the comparison of a million pixels. */
const compareSecondsPerMegapixel = 0.008;
const maxSamples = 5;
const maxSampleSeconds = 2;
/** Less than this says too little about a video. */
const minTotalSeconds = 0.7;

/**
 * What is measured for the rungs of a ladder of constant quality. Undefined where nothing waits for it: for a video
 * that is encoded completely in the first phase, or that is so short that a measurement would take too much time.
 */
export function planQuality(encodes: Encodes, indexed: Indexed): PlannedQuality | undefined {
  const budgetSeconds = budgetShare * encodes.groups.reduce((sum, group) => sum + groupSeconds(group), 0);
  const totalSeconds = sampleSeconds(encodes, budgetSeconds);
  return totalSeconds < minTotalSeconds ? undefined : planMeasurement(encodes, indexed, totalSeconds);
}

/** How many seconds of source can be measured within a budget of CPU time. */
function sampleSeconds({ groups, variants }: Encodes, budgetSeconds: number): number {
  const { grid } = groups[0] ?? {};
  const rungs = measuredRungs(variants).map(({ rung }) => rung);
  if (!grid || rungs.length === 0) return 0;
  const trials = trialsOf(rungs);
  const estimate = (endFrame: number) => sampleCpuSeconds({ grid, trials }, { startFrame: 0, endFrame });
  const perSecond = estimate(toNumber(grid.frameRate)) - estimate(0);
  return Math.min(budgetSeconds / perSecond, maxSamples * maxSampleSeconds);
}

/** The measurement of so many seconds of source, whatever it costs. */
export function planMeasurement(
  { source, groups, variants }: Encodes,
  indexed: Indexed,
  totalSeconds: number,
): PlannedQuality | undefined {
  const rungs = measuredRungs(variants);
  const first = groups.find(waitsForQuality);
  // Its frames are found by counting from the first one, so that a sample would have to decode all frames before it.
  if (!first || rungs.length === 0 || indexed.track.editShifts) return undefined;
  const { grid } = first;
  const samples = planSamples({ ...indexed, formatName: source.formatName }, grid, {
    count: Math.min(maxSamples, Math.max(1, Math.round(totalSeconds / 1.5))),
    totalSeconds,
    frameCount: Math.max(...groups.flatMap(({ chunks }) => chunks.map(({ endFrame }) => endFrame))),
  });
  if (samples.length === 0) return undefined;
  return {
    spec: { kind: 'quality', source, grid, samples, trials: trialsOf(rungs.map(({ rung }) => rung)) },
    rungs: rungs.map(({ rung, tracks, capBps }) => {
      const { width, height } = frameSize(rung);
      return { name: rung.name, tracks, width, height, capBps };
    }),
  };
}

/** Whether a group of a measured plan is encoded after the decision. Copies do not depend on it. */
export const waitsForQuality = ({ phase, rungs }: EncodeGroup): boolean =>
  phase > 0 && !rungs.every(({ copied }) => copied);

/** The CPU seconds that a measurement is estimated to take. */
export const qualityCpuSeconds = (spec: QualitySpec): number =>
  spec.samples.reduce((sum, sample) => sum + sampleCpuSeconds(spec, sample), 0);

function sampleCpuSeconds(
  { grid, trials }: Pick<QualitySpec, 'grid' | 'trials'>,
  sample: Parameters<typeof estimatedCpuSeconds>[0],
): number {
  const encoded = trials.flatMap(({ rung, crfs }) => crfs.map(() => rung));
  const megapixels = encoded.reduce((sum, rung) => sum + pixels(rung), 0) / 1e6;
  const compared = (sample.endFrame - sample.startFrame) * megapixels;
  return overheadFactor * estimatedCpuSeconds(sample, grid, encoded) + compareSecondsPerMegapixel * compared;
}

const groupSeconds = ({ chunks, grid, rungs }: EncodeGroup): number =>
  chunks.reduce((sum, chunk) => sum + estimatedCpuSeconds(chunk, grid, rungs), 0);

/** The rungs with a maximum bitrate, each with the names of all its variants. */
function measuredRungs(variants: Variant<PlannedRung>[]): { rung: Rung; tracks: string[]; capBps: number }[] {
  return [...Map.groupBy(variants, ({ item }) => item)].flatMap(([{ rung }, named]) => {
    const { rate, codec, copied } = rung;
    if (copied || rate.mode !== 'crf' || rate.maxBitrateBps === null) return [];
    return [{ rung, tracks: named.map(({ name }) => name), capBps: rate.maxBitrateBps / qualityPeakFactor(codec) }];
  });
}

/** Larger frames cost too much. */
const largePixels = 2048 * 1152;

/**
 * The smallest rung and a large one. The others follow from these: grain, for example, is in large frames only, and
 * small frames have little that is flat.
 */
function trialsOf(rungs: Rung[]): Trials {
  const bySize = rungs.toSorted((a, b) => pixels(a) - pixels(b));
  const small = bySize[0]!;
  const large = bySize.findLast((rung) => pixels(rung) <= largePixels) ?? small;
  const scale = videoCodecFacts[small.codec].crf;
  const step = Math.round(scale.max / 16);
  const crfs = [scale.default - step, scale.default + 2 * step];
  return [...new Set([small, large])].map((rung) => ({ rung, crfs }));
}

function pixels(rung: Rung): number {
  const { width, height } = frameSize(rung);
  return width * height;
}
