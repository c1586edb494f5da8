import { type Rational, rational } from '../../../shared/media/rational.ts';
import type { Decision } from '../../../shared/protocol/decisions.ts';
import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';
import { findBox, readBoxes } from '../../isobmff/boxes.ts';

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

/** Fields before the boxes of a visual sample entry (ISO/IEC 14496-12, 12.1.3). */
const entryFieldBytes = 78;

/** The box `clap` (ISO/IEC 14496-12, 12.1.4): a size, and the distance of its centre from that of the frame. */
function cleanAperture(moov: Buffer, index: number, frame: Size): VisiblePart | undefined {
  const trak = readBoxes(moov).filter(({ type }) => type === 'trak')[index];
  const stsd = trak && findBox(trak.payload, 'mdia', 'minf', 'stbl', 'stsd');
  const entry = stsd && readBoxes(stsd.subarray(8))[0];
  const clap = entry && findBox(withoutEnd(entry.payload.subarray(entryFieldBytes)), 'clap');
  if (!clap) return undefined;
  const fraction = (at: number): number => clap.readInt32BE(at) / clap.readUInt32BE(at + 4);
  const [width, height] = [Math.round(fraction(0)), Math.round(fraction(8))];
  const left = Math.round((frame.width - width) / 2 + fraction(16));
  const top = Math.round((frame.height - height) / 2 + fraction(24));
  return part(frame, { left, top, right: frame.width - width - left, bottom: frame.height - height - top });
}

/** Four zero bytes may end an entry of QuickTime. */
const withoutEnd = (fields: Buffer): Buffer =>
  fields.length >= 4 && fields.readUInt32BE(fields.length - 4) === 0 ? fields.subarray(0, -4) : fields;

/** IDs of Matroska (RFC 9559). */
const ids = { segment: 0x18538067, tracks: 0x1654ae6b, entry: 0xae, video: 0xe0 };
const crops = { bottom: 0x54aa, top: 0x54bb, left: 0x54cc, right: 0x54dd };
const display = { unit: 0x54b2, width: 0x54b0, height: 0x54ba };

/** The elements PixelCrop of Matroska. The size on a display is that of the visible part. */
function pixelCrop(head: Buffer, index: number, frame: Size): VisiblePart | undefined {
  const tracks = element(element(head, ids.segment), ids.tracks);
  const entry = elements(tracks).filter(({ id }) => id === ids.entry)[index]?.payload;
  const video = elements(element(entry, ids.video));
  const numberOf = (id: number): number =>
    video.find((each) => each.id === id)?.payload.reduce((value, byte) => value * 256 + byte, 0) ?? 0;
  const visible = part(frame, {
    ...{ left: numberOf(crops.left), top: numberOf(crops.top) },
    ...{ right: numberOf(crops.right), bottom: numberOf(crops.bottom) },
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

type Element = { id: number; payload: Buffer };

const element = (bytes: Buffer | undefined, id: number): Buffer | undefined =>
  elements(bytes).find((each) => each.id === id)?.payload;

/** The elements in `bytes`. The last one may be cut off. */
function elements(bytes: Buffer | undefined): Element[] {
  const found: Element[] = [];
  let at = 0;
  const number = (keepsMarker: boolean): number => {
    const first = bytes!.readUInt8(at);
    const length = Math.clz32(first) - 23;
    if (length > 8) throw new RangeError('no EBML number');
    let value = keepsMarker ? first : first & (0xff >> length);
    for (const byte of bytes!.subarray(at + 1, at + length)) value = value * 256 + byte;
    at += length;
    return value;
  };
  while (bytes && at < bytes.length) {
    const id = number(true);
    if (at >= bytes.length) break;
    const size = number(false);
    found.push({ id, payload: bytes.subarray(at, at + size) });
    at += size;
  }
  return found;
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
