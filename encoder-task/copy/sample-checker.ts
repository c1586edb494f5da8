import { createBits, hasStartCode, withoutEmulationPrevention } from '../h264/bits.ts';
import type { AvcTrack } from './avc-track.ts';
import { NotCopyable } from './not-copyable.ts';

/** A picture as its slice headers describe it. */
export type Picture = {
  /** a decoder can start here, and no later picture refers to an earlier one */
  isIdr: boolean;
  /** position in the order of presentation among the pictures since the last IDR picture; not dense */
  order: number;
};

const unitTypes = { slice: 1, idrSlice: 5, message: 6, sequenceSet: 7, pictureSet: 8, delimiter: 9, filler: 12 };
/** Enough for the fields of a slice header up to the picture order count. */
const headerBytes = 40;
/** slice_type modulo 5 (table 7-6) */
const intraSlice = 2;

/**
 * Checks the samples of a track one after another in decoding order, beginning at an IDR picture, without decoding
 * them: each is one whole picture of the declared parameter sets, and no reference picture is missing before it. Throws
 * NotCopyable otherwise.
 */
export function createSampleChecker(track: AvcTrack): (sample: Buffer) => Picture {
  const { sequence } = track;
  const orderOf = createOrder(track);
  const maxFrameNumber = 2 ** sequence.frameNumberBits;
  let referenceFrameNumber: number | undefined;
  return (sample) => {
    const slices = slicesOf(sample, track);
    const headers = slices.map((unit) => readSlice(unit, track));
    const first = headers[0]!;
    const isSame = headers.every(
      ({ isIdr, frameNumber, count }) =>
        isIdr === first.isIdr && frameNumber === first.frameNumber && count === first.count,
    );
    const starts = headers.filter(({ firstBlock }) => firstBlock === 0).length;
    if (!isSame || starts !== 1 || first.firstBlock !== 0)
      throw new NotCopyable('frames', 'not one picture in a sample');
    if (referenceFrameNumber === undefined && !first.isIdr) {
      throw new NotCopyable('key-frames', 'the first sample is no IDR picture');
    }
    const expected = first.isIdr ? 0 : (referenceFrameNumber! + 1) % maxFrameNumber;
    if (first.frameNumber !== expected && !sequence.allowsGaps) {
      throw new NotCopyable('damage', 'a reference picture is missing');
    }
    // an IDR picture is always a reference
    if (first.isReference || first.isIdr) referenceFrameNumber = first.frameNumber;
    return { isIdr: first.isIdr, order: orderOf(first) };
  };
}

/** The slices of a sample. Its other NAL units must be of kinds that do not change how slices are decoded. */
function slicesOf(sample: Buffer, { lengthBytes, parameterSets }: AvcTrack): Buffer[] {
  const slices: Buffer[] = [];
  for (const unit of nalUnits(sample, lengthBytes)) {
    const type = unit[0]! & 0x1f;
    if (type === unitTypes.slice || type === unitTypes.idrSlice) slices.push(unit);
    else if (type === unitTypes.sequenceSet || type === unitTypes.pictureSet) {
      if (!parameterSets.some((known) => known.equals(unit)))
        throw new NotCopyable('parameters', 'other parameter sets');
    } else if (type !== unitTypes.message && type !== unitTypes.delimiter && type !== unitTypes.filler) {
      throw new NotCopyable('parameters', `a NAL unit of type ${type}`);
    }
  }
  if (slices.length === 0) throw new NotCopyable('frames', 'a sample without a picture');
  return slices;
}

/** Whether the first slice of a sample, of which only the beginning may be known, is one of an IDR picture. */
export function beginsWithIdr(head: Buffer, { lengthBytes }: Pick<AvcTrack, 'lengthBytes'>): boolean {
  for (let at = 0; at + lengthBytes < head.length; at += lengthBytes + head.readUIntBE(at, lengthBytes)) {
    const type = head[at + lengthBytes]! & 0x1f;
    if (type === unitTypes.slice || type === unitTypes.idrSlice) return type === unitTypes.idrSlice;
  }
  return false;
}

/** The largest frame has about 140,000 macroblocks, and encoders make a few slices of it. */
const maxUnits = 10_000;

/** NAL units after their lengths (ISO/IEC 14496-15, 4.3), which must fill the sample. */
function nalUnits(sample: Buffer, lengthBytes: number): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at < sample.length; ) {
    if (at + lengthBytes >= sample.length) throw new NotCopyable('damage', 'a NAL unit is cut off');
    const start = at + lengthBytes;
    const end = start + sample.readUIntBE(at, lengthBytes);
    if (end <= start || end > sample.length) throw new NotCopyable('damage', 'a NAL unit has an impossible length');
    if (units.length === maxUnits) throw new NotCopyable('damage', 'too many NAL units');
    const unit = sample.subarray(start, end);
    const isForbidden = (unit[0]! & 0x80) !== 0 || unit.at(-1) === 0 || hasStartCode(unit);
    if (isForbidden) throw new NotCopyable('damage', 'a NAL unit has bytes that cannot be in one');
    units.push(unit);
    at = end;
  }
  return units;
}

type Slice = {
  firstBlock: number;
  isIdr: boolean;
  isReference: boolean;
  frameNumber: number;
  /** pic_order_cnt_lsb; 0 when the order is that of decoding */
  count: number;
};

/** The beginning of a slice header (7.3.3). */
function readSlice(unit: Buffer, { sequence, pictureSets }: AvcTrack): Slice {
  try {
    const header = createBits(withoutEmulationPrevention(unit.subarray(1, headerBytes)));
    const isIdr = (unit[0]! & 0x1f) === unitTypes.idrSlice;
    const firstBlock = header.unsigned();
    const type = header.unsigned() % 5;
    if (isIdr && type !== intraSlice) throw new NotCopyable('damage', 'a slice of an IDR picture refers to others');
    if (!pictureSets.has(header.unsigned())) throw new NotCopyable('parameters', 'an unknown picture parameter set');
    const frameNumber = header.bits(sequence.frameNumberBits);
    if (isIdr) header.unsigned(); // idr_pic_id
    const count = header.bits(sequence.pictureOrder.bits);
    return { firstBlock, isIdr, isReference: (unit[0]! & 0x60) !== 0, frameNumber, count };
  } catch (error) {
    if (error instanceof RangeError) throw new NotCopyable('damage', 'a slice header is cut off');
    throw error;
  }
}

/** The picture order count (8.2.1.1 for type 0). With type 2 the order is that of decoding. */
function createOrder({ sequence: { pictureOrder } }: AvcTrack): (slice: Slice) => number {
  const range = 2 ** pictureOrder.bits;
  let [high, low, decoded] = [0, 0, 0];
  return ({ isIdr, isReference, count }) => {
    if (isIdr) [high, low, decoded] = [0, 0, 0];
    if (pictureOrder.type === 2) return decoded++;
    const wraps = count < low && low - count >= range / 2 ? range : count > low && count - low > range / 2 ? -range : 0;
    const order = high + wraps + count;
    if (isReference) [high, low] = [high + wraps, count];
    return order;
  };
}
