import { type Rational, rational } from '../../shared/media/rational.ts';

/** Profiles whose sequence parameter sets have fields for chroma, bit depth and scaling (ITU-T H.264, 7.3.2.1.1). */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

export type FrameSize = { width: number; height: number; sampleAspectRatio: Rational };

type Bits = { flag: () => boolean; bits: (count: number) => number; unsigned: () => number; signed: () => number };

/**
 * Size and pixel aspect ratio of the cropped frame from an H.264 sequence parameter set with its NAL unit header.
 * Throws RangeError when it is cut off.
 */
export function readFrameSize(unit: Buffer): FrameSize {
  const sps = createBits(withoutEmulationPrevention(unit.subarray(1)));
  const profile = sps.bits(8);
  sps.bits(16); // constraint flags, level
  sps.unsigned(); // seq_parameter_set_id
  const chroma = highProfiles.has(profile) ? readHighProfile(sps) : 1;
  sps.unsigned(); // log2_max_frame_num_minus4
  skipPictureOrder(sps);
  sps.unsigned(); // max_num_ref_frames
  sps.flag(); // gaps_in_frame_num_value_allowed_flag
  const widthInBlocks = sps.unsigned() + 1;
  const heightInUnits = sps.unsigned() + 1;
  // frame_mbs_only_flag: otherwise a map unit covers a macroblock of each field
  const fields = sps.flag() ? 1 : 2;
  if (fields === 2) sps.flag();
  sps.flag(); // direct_8x8_inference_flag
  const [left, right, top, bottom] = sps.flag()
    ? [sps.unsigned(), sps.unsigned(), sps.unsigned(), sps.unsigned()]
    : [0, 0, 0, 0];
  const cropX = chroma === 1 || chroma === 2 ? 2 : 1;
  const cropY = (chroma === 1 ? 2 : 1) * fields;
  return {
    width: widthInBlocks * 16 - (left + right) * cropX,
    height: heightInUnits * 16 * fields - (top + bottom) * cropY,
    sampleAspectRatio: readSampleAspectRatio(sps),
  };
}

/** Sample aspect ratios by aspect_ratio_idc (ITU-T H.264, table E-1). */
const sampleAspectRatios = [
  ...[
    [1, 1],
    [1, 1],
    [12, 11],
    [10, 11],
    [16, 11],
    [40, 33],
    [24, 11],
    [20, 11],
    [32, 11],
  ],
  ...[
    [80, 33],
    [18, 11],
    [15, 11],
    [64, 33],
    [160, 99],
    [4, 3],
    [3, 2],
    [2, 1],
  ],
] as [number, number][];
const extendedSar = 255;

/** From the start of the video usability information; square without it. */
function readSampleAspectRatio(sps: Bits): Rational {
  const isPresent = sps.flag() && sps.flag();
  if (!isPresent) return rational(1, 1);
  const idc = sps.bits(8);
  const [num, den] = idc === extendedSar ? [sps.bits(16), sps.bits(16)] : (sampleAspectRatios[idc] ?? [1, 1]);
  return num > 0 && den > 0 ? rational(num, den) : rational(1, 1);
}

/** Returns chroma_format_idc: 0 none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4. */
function readHighProfile(sps: Bits): number {
  const chroma = sps.unsigned();
  if (chroma === 3) sps.flag(); // separate_colour_plane_flag
  sps.unsigned(); // bit_depth_luma_minus8
  sps.unsigned(); // bit_depth_chroma_minus8
  sps.flag(); // qpprime_y_zero_transform_bypass_flag
  const lists = sps.flag() ? (chroma === 3 ? 12 : 8) : 0;
  for (let list = 0; list < lists; list++) {
    const isPresent = sps.flag();
    if (isPresent) skipScaling(sps, list);
  }
  return chroma;
}

function skipScaling(sps: Bits, list: number): void {
  let [last, next] = [8, 8];
  for (let place = 0; place < (list < 6 ? 16 : 64); place++) {
    if (next !== 0) next = (last + sps.signed() + 256) % 256;
    if (next !== 0) last = next;
  }
}

function skipPictureOrder(sps: Bits): void {
  const type = sps.unsigned();
  if (type === 0) sps.unsigned();
  if (type !== 1) return;
  sps.flag();
  sps.signed();
  sps.signed();
  for (let left = sps.unsigned(); left > 0; left--) sps.signed();
}

/** After two zero bytes, a byte 3 prevents that the following bytes look like a start code (7.4.1). */
function withoutEmulationPrevention(bytes: Buffer): Buffer {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0)) as Buffer;
}

function createBits(bytes: Buffer): Bits {
  let at = 0;
  const flag = (): boolean => {
    const byte = bytes[at >> 3];
    if (byte === undefined) throw new RangeError('the sequence parameter set is cut off');
    return ((byte >> (7 - (at++ & 7))) & 1) === 1;
  };
  const bits = (count: number): number => {
    let value = 0;
    for (let left = count; left > 0; left--) value = value * 2 + Number(flag());
    return value;
  };
  /** Exp-Golomb code (9.1): the number of leading zeros is the number of bits after the one. */
  const unsigned = (): number => {
    let zeros = 0;
    while (!flag()) zeros++;
    return 2 ** zeros - 1 + bits(zeros);
  };
  const signed = (): number => {
    const code = unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  };
  return { flag, bits, unsigned, signed };
}
