import { type Rational, rational } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { findBox, readBoxes, sampleEntries, visualEntryBoxes } from '../../isobmff/boxes.ts';
import { element, elements, numberIn, trackEntries } from '../matroska.ts';

/** The part of the frames that the container declares as visible, in pixels before rotation. */
export type VisiblePart = {
  size: { width: number; height: number };
  crop: NonNullable<VideoTrack['crop']>;
  /** of Matroska, which declares the size on a display instead */
  sampleAspectRatio?: Rational;
};

type Container = { moov: Buffer | undefined; head: Buffer };
type Size = { width: number; height: number };

/** Undefined where the whole frame is visible, or where the container declares an impossible part. */
export function readVisiblePart(stream: ProbeStream, { moov, head }: Container): VisiblePart | undefined {
  const { width, height, index } = stream;
  if (!width || !height) return undefined;
  try {
    return moov ? cleanAperture(moov, index, { width, height }) : pixelCrop(head, index, { width, height });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The box `clap` (ISO/IEC 14496-12, 12.1.4): a size, and the distance of its centre from that of the frame. */
function cleanAperture(moov: Buffer, index: number, frame: Size): VisiblePart | undefined {
  const trak = readBoxes(moov).filter(({ type }) => type === 'trak')[index];
  const entry = trak && sampleEntries(trak.payload)[0];
  const clap = entry && findBox(visualEntryBoxes(entry), 'clap');
  if (!clap) return undefined;
  const fraction = (at: number): number => clap.readInt32BE(at) / clap.readUInt32BE(at + 4);
  const [width, height] = [Math.round(fraction(0)), Math.round(fraction(8))];
  const left = Math.round((frame.width - width) / 2 + fraction(16));
  const top = Math.round((frame.height - height) / 2 + fraction(24));
  return part(frame, { left, top, right: frame.width - width - left, bottom: frame.height - height - top });
}

/** IDs of Matroska (RFC 9559). */
const videoId = 0xe0;
const crops = { bottom: 0x54aa, top: 0x54bb, left: 0x54cc, right: 0x54dd };
const display = { unit: 0x54b2, width: 0x54b0, height: 0x54ba };

/** The elements PixelCrop of Matroska. The size on a display is that of the visible part. */
function pixelCrop(head: Buffer, index: number, frame: Size): VisiblePart | undefined {
  const video = elements(element(trackEntries(head)[index], videoId));
  const numberOf = (id: number): number => numberIn(video, id) ?? 0;
  const visible = part(frame, {
    left: numberOf(crops.left),
    top: numberOf(crops.top),
    right: numberOf(crops.right),
    bottom: numberOf(crops.bottom),
  });
  // units above 3 say nothing; those from 0 to 3 have the same ratio
  const hasShape = numberOf(display.width) > 0 && numberOf(display.height) > 0 && numberOf(display.unit) <= 3;
  return (
    visible && {
      ...visible,
      sampleAspectRatio: hasShape
        ? rational(numberOf(display.width) * visible.size.height, numberOf(display.height) * visible.size.width)
        : rational(1, 1),
    }
  );
}

function part(frame: Size, crop: VisiblePart['crop']): VisiblePart | undefined {
  const margins = Object.values(crop);
  const size = { width: frame.width - crop.left - crop.right, height: frame.height - crop.top - crop.bottom };
  const isPossible = margins.every((margin) => margin >= 0) && size.width > 1 && size.height > 1;
  return isPossible && margins.some((margin) => margin > 0) ? { size, crop } : undefined;
}

/** The sentence and the facts for the uploader. */
export const cropDecision = ({ size, crop }: VisiblePart): Decision => ({
  code: 'picture_cropped',
  message: `The file declares ${size.width} × ${size.height} pixels of the picture as visible: the others are cut off.`,
  facts: crop,
});
