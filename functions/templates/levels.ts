import type { VideoCodec } from '../../shared/media/codecs.ts';
import { type Rational, toNumber } from '../../shared/media/rational.ts';

/** Limits of a level: units of one frame, and units a second. */
type Level = [name: string, frameUnits: number, unitsPerSecond: number];

type Levels = {
  /** side of the square that levels count, in pixels */
  unitSide: number;
  levels: readonly Level[];
};

/** H.264, table A-1, in macroblocks; HEVC, tables A.8 and A.9, in luma samples. */
const levelsOf: Partial<Record<VideoCodec, Levels>> = {
  h264: {
    unitSide: 16,
    levels: [
      ['1', 99, 1485],
      ['1.1', 396, 3000],
      ['1.2', 396, 6000],
      ['1.3', 396, 11_880],
      ['2', 396, 11_880],
      ['2.1', 792, 19_800],
      ['2.2', 1620, 20_250],
      ['3', 1620, 40_500],
      ['3.1', 3600, 108_000],
      ['3.2', 5120, 216_000],
      ['4', 8192, 245_760],
      ['4.1', 8192, 245_760],
      ['4.2', 8704, 522_240],
      ['5', 22_080, 589_824],
      ['5.1', 36_864, 983_040],
      ['5.2', 36_864, 2_073_600],
      ['6', 139_264, 4_177_920],
      ['6.1', 139_264, 8_355_840],
      ['6.2', 139_264, 16_711_680],
    ],
  },
  hevc: {
    unitSide: 1,
    levels: [
      ['1', 36_864, 552_960],
      ['2', 122_880, 3_686_400],
      ['2.1', 245_760, 7_372_800],
      ['3', 552_960, 16_588_800],
      ['3.1', 983_040, 33_177_600],
      ['4', 2_228_224, 66_846_720],
      ['4.1', 2_228_224, 133_693_440],
      ['5', 8_912_896, 267_386_880],
      ['5.1', 8_912_896, 534_773_760],
      ['5.2', 8_912_896, 1_069_547_520],
      ['6', 35_651_584, 1_069_547_520],
      ['6.1', 35_651_584, 2_139_095_040],
      ['6.2', 35_651_584, 4_278_190_080],
    ],
  },
};

/**
 * The level of a rung: the lowest one from `asked` on that the codec has and that frames of this size and rate fit.
 * x265 refuses other levels, so that the video would fail, and x264 writes levels that the frames exceed.
 */
export function fittingLevel(
  codec: VideoCodec,
  asked: string | undefined,
  frame: { width: number; height: number },
  rate: Rational,
): string | null {
  if (asked === undefined) return null;
  const { unitSide, levels } = levelsOf[codec] ?? { unitSide: 1, levels: [] };
  const [columns, rows] = [Math.ceil(frame.width / unitSide), Math.ceil(frame.height / unitSide)];
  const fits = ([name, frameUnits, unitsPerSecond]: Level): boolean =>
    Number(name) >= Number(asked) &&
    columns * rows <= frameUnits &&
    // a side may be as long as that of a frame that is eight times as long as high
    Math.max(columns, rows) ** 2 <= 8 * frameUnits &&
    columns * rows * toNumber(rate) <= unitsPerSecond;
  const level = (levels.find(fits) ?? levels.at(-1))?.[0] ?? null;
  return Number(level) === Number(asked) ? asked : level;
}
