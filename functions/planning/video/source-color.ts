import { type Rational, toNumber } from '../../../shared/media/rational.ts';
import { sourceRange } from '../../../shared/media/video-range.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';

/** Colour by ffmpeg's names, without a gap: renditions, posters and sprites are all converted and tagged with it. */
export type SourceColor = { colorPrimaries: string; colorTransfer: string; colorSpace: string };

type Track = Pick<
  VideoTrack,
  'codec' | 'width' | 'height' | 'pixelFormat' | 'averageFrameRate' | 'colorPrimaries' | 'colorTransfer' | 'colorSpace'
>;

const color = (colorPrimaries: string, colorTransfer: string, colorSpace: string): SourceColor => ({
  colorPrimaries,
  colorTransfer,
  colorSpace,
});
const bt709 = color('bt709', 'bt709', 'bt709');
/** BT.601 with 525 and with 625 lines: their primaries differ. */
const bt601 = { 525: color('smpte170m', 'smpte170m', 'smpte170m'), 625: color('bt470bg', 'smpte170m', 'bt470bg') };
const bt2020 = color('bt2020', 'bt2020-10', 'bt2020nc');
/** JFIF: the matrix of BT.601 with the primaries of BT.709. */
const jpeg = color('bt709', 'iec61966-2-1', 'bt470bg');

/** What one property implies for the others. */
const byMatrix: Record<string, SourceColor> = {
  bt709,
  smpte170m: bt601[525],
  bt470bg: bt601[625],
  bt2020nc: bt2020,
  bt2020c: bt2020,
};
const byPrimaries: Record<string, SourceColor> = {
  bt709,
  bt2020,
  smpte170m: bt601[525],
  bt470bg: bt601[625],
  // Display P3, which cameras of phones use
  smpte432: bt709,
};

/** The colour of the source as its tags say, completed where they are missing. */
export function sourceColor(track: Track): SourceColor {
  const { primaries, transfer, matrix } = tagsOf(track);
  const implied = impliedColor(track);
  return color(
    primaries ?? implied.colorPrimaries,
    transfer ?? implied.colorTransfer,
    isRgb(track) ? 'gbr' : (matrix ?? implied.colorSpace),
  );
}

function impliedColor(track: Track): SourceColor {
  const { primaries, matrix } = tagsOf(track);
  if (sourceRange(track) !== 'SDR') return bt2020;
  if (track.codec === 'mjpeg') return jpeg;
  return byMatrix[matrix ?? ''] ?? byPrimaries[primaries ?? ''] ?? (isRgb(track) ? bt709 : usualColor(track));
}

/**
 * Players take untagged video of at least this height for BT.709 and smaller video for BT.601. Wide films in HD have
 * fewer lines.
 */
const hdSize = { width: 1280, height: 720 };

const usualColor = ({ width, height, averageFrameRate }: Track): SourceColor =>
  width >= hdSize.width || height >= hdSize.height ? bt709 : bt601[isOf625Lines(averageFrameRate) ? 625 : 525];

/** Television with 625 lines has 25 frames or 50 fields per second, that with 525 lines 29.97 or 59.94. */
const isOf625Lines = (frameRate: Rational): boolean =>
  [25, 50].some((rate) => Math.abs(toNumber(frameRate) - rate) < 0.01);

/** Pixel formats of red, green and blue, also with alpha or a palette. Some decoders do not set a matrix for them. */
const isRgb = ({ pixelFormat }: Track): boolean => /^(pal8|a?0?(rgb|bgr)|gbr|x2(rgb|bgr))/.test(pixelFormat);

/** The tags that say something. The matrix of RGB is none, and one of RGB is wrong for other pixels. */
const tagsOf = (track: Track) => ({
  primaries: track.colorPrimaries,
  transfer: track.colorTransfer,
  matrix: isRgb(track) || /^(gbr|rgb)$/.test(track.colorSpace ?? '') ? null : track.colorSpace,
});

/** What the source does not say about its colours. */
export function colorDecisions(track: Track): Decision[] {
  const { primaries, transfer, matrix } = tagsOf(track);
  const decided = sourceColor(track);
  const assumed = {
    ...(primaries === null && { primaries: decided.colorPrimaries }),
    ...(transfer === null && { transfer: decided.colorTransfer }),
    ...(matrix === null && !isRgb(track) && { matrix: decided.colorSpace }),
  };
  const names = Object.entries(assumed).map(([name, value]) => `${name} ${value}`);
  if (names.length === 0) return [];
  const message = `The file does not say all about its colours. Assumed: ${names.join(', ')}.`;
  return [{ code: 'color_assumed', message, facts: assumed }];
}
