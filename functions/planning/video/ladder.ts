import { defaultPixelFormat, type VideoCodec, videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rational } from '../../../shared/media/rational.ts';
import { toNumber } from '../../../shared/media/rational.ts';
import { formatBitrate, parseBitrate } from '../../templates/bitrate.ts';
import type { LadderEntry, VideoEntry } from '../../templates/query-structure.ts';
import { templatesConfig } from '../../templates/templates-config.ts';
import type { Size } from './display-size.ts';
import { defaultMaxFps, outputRate } from './frame-rate.ts';

export type LadderSource = { display: Size; frameRate: Rational; bitrateBps: number | null };

type Step = { name: string; box: Partial<Size>; bitrateBps: number };
type Row = Size & { name: string; bitrateBps: number };

/** Bitrate at 60 fps relative to 30 fps: successive frames differ less, so it is below 2. */
const highFrameRateFactor = 1.4;
/** A source more than 10 % higher than the largest row gets an additional rung in its own size. */
const gapAboveLargestRow = 1.1;
/** Bitrate of a rung relative to the next larger one, at most. Rungs closer than that do not help a player. */
const maxStepRatio = 0.8;
const sourceBitrateHeadroom = 1.1;
const minBitrateBps = 100_000;

const rows: Row[] = templatesConfig.resolutions.map(({ value, width, height, bitrate }) => ({
  name: value,
  width,
  height,
  bitrateBps: parseBitrate(bitrate),
}));

/** The ladder for one source as explicit video entries, largest first, named by height. Never empty. */
export function ladderEntries(ladder: LadderEntry, source: LadderSource): VideoEntry[] {
  const fps = Math.min(ladder.fps ?? defaultMaxFps, defaultMaxFps);
  const { frameRate } = outputRate(source.frameRate, fps);
  const factor = bitrateFactor(ladder.codec, frameRate);
  const cap = Math.min(
    ladder.max_bitrate === undefined ? Number.POSITIVE_INFINITY : parseBitrate(ladder.max_bitrate),
    source.bitrateBps === null ? Number.POSITIVE_INFINITY : sourceCap(source.bitrateBps),
  );
  const priced = candidates(ladder, source.display).map((step) => ({
    ...step,
    bitrateBps: Math.min(cap, step.bitrateBps * factor),
  }));
  return evenSteps(distinctBitrates(priced), ladder.max_renditions).map(({ name, box, bitrateBps }) => ({
    name,
    codec: ladder.codec,
    ...box,
    ...(ladder.mode === 'quality' ? constantQuality(ladder.codec, bitrateBps) : { bitrate: formatBitrate(bitrateBps) }),
    ...(toNumber(source.frameRate) > fps ? { fps } : {}),
    ...(ladder.profile === undefined ? {} : { profile: ladder.profile }),
    preset: ladder.preset,
    gop: ladder.gop,
    pixel_format: defaultPixelFormat(ladder.codec, ladder.profile),
    two_pass: false,
  }));
}

/**
 * The buffer model of a rung with an average bitrate allows peaks of 1.5 times that bitrate. With peaks of the bitrate
 * itself, scenes that need more would be worse at constant quality than at an average bitrate. The encoders of VP9 and
 * AV1 have no buffer model in this mode: their maximum is that of the average.
 */
export const qualityPeakFactor = (codec: VideoCodec): number => (codec === 'h264' || codec === 'hevc' ? 1.5 : 1);

/** The default quality of the codec, with the bitrate of the table as the maximum. */
function constantQuality(
  codec: VideoCodec,
  bitrateBps: number,
): Pick<VideoEntry, 'crf' | 'bitrate' | 'max_bitrate' | 'buffer_size'> {
  const crf = videoCodecProperties[codec].crf.default;
  const peakFactor = qualityPeakFactor(codec);
  if (peakFactor === 1) return { crf, bitrate: formatBitrate(bitrateBps) };
  return { crf, max_bitrate: formatBitrate(peakFactor * bitrateBps), buffer_size: formatBitrate(2 * bitrateBps) };
}

const bitrateFactor = (codec: VideoCodec, frameRate: Rational): number =>
  videoCodecProperties[codec].bitrateFactor * (toNumber(frameRate) > 30 ? highFrameRateFactor : 1);

/** Share of the CRF scale of a codec that halves the bitrate: 6 of 51 in H.264. */
const halvingShareOfCrf = 6 / 51;

/** The bitrate of filmed video at a constant quality. At the default CRF of the codec it is that of the ladder. */
export function typicalBitrateBps(
  size: Size,
  { codec, frameRate, crf }: { codec: VideoCodec; frameRate: Rational; crf: number },
): number {
  const scale = videoCodecProperties[codec].crf;
  const halvings = (crf - scale.default) / (scale.max * halvingShareOfCrf);
  return Math.round(bitrateOf(size) * bitrateFactor(codec, frameRate) * 2 ** -halvings);
}

const sourceCap = (bitrateBps: number): number => Math.max(minBitrateBps, bitrateBps * sourceBitrateHeadroom);

function candidates({ min_height: min, max_height: max }: LadderEntry, display: Size): Step[] {
  const short = Math.min(display.width, display.height);
  const steps = rows
    .filter(({ height }) => height >= min && height <= Math.min(max, short))
    .map(({ name, width, height, bitrateBps }) => ({ name, box: { width, height }, bitrateBps }));
  const largest = steps[0]?.box.height ?? 0;
  return short <= max && short > gapAboveLargestRow * largest
    ? [{ name: `${short}p`, box: {}, bitrateBps: bitrateOf(display) }, ...steps]
    : steps;
}

/** Scales the bitrate of the row below by the pixel count to the power of 0.75. */
function bitrateOf({ width, height }: Size): number {
  const pixels = width * height;
  const row = rows.find((each) => each.width * each.height <= pixels) ?? rows.at(-1)!;
  return Math.max(minBitrateBps, row.bitrateBps * (pixels / (row.width * row.height)) ** 0.75);
}

/** From the top, drops rungs whose bitrate is too close to the rung above: caps can make bitrates equal. */
function distinctBitrates(steps: Step[]): Step[] {
  const kept: Step[] = [];
  for (const step of steps) {
    const above = kept.at(-1);
    if (!above || step.bitrateBps <= maxStepRatio * above.bitrateBps) kept.push(step);
  }
  return kept;
}

/**
 * At most `count` steps: the top, the bottom, and those between that give the most even bitrate steps on a log scale.
 */
function evenSteps(steps: Step[], count: number): Step[] {
  if (steps.length <= count) return steps;
  if (count === 1) return steps.slice(0, 1);
  const unevenness = (chosen: Step[]): number =>
    chosen.slice(1).reduce((sum, step, index) => sum + Math.log(chosen[index]!.bitrateBps / step.bitrateBps) ** 2, 0);
  return combinations(steps.slice(1, -1), count - 2)
    .map((middle) => [steps[0]!, ...middle, steps.at(-1)!])
    .reduce((best, chosen) => (unevenness(chosen) < unevenness(best) ? chosen : best));
}

function combinations<Item>(items: Item[], count: number): Item[][] {
  if (count === 0) return [[]];
  return items.flatMap((item, index) => combinations(items.slice(index + 1), count - 1).map((rest) => [item, ...rest]));
}
