import { type Rational, rational } from '../../shared/media/rational.ts';
import { type Bits, createBits, withoutEmulationPrevention } from './bits.ts';

/** Profiles whose sequence parameter sets have fields for chroma, bit depth and scaling (ITU-T H.264, 7.3.2.1.1). */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

export type FrameSize = { width: number; height: number; sampleAspectRatio: Rational };

/** What a sequence parameter set says about the pictures and the headers of their slices. */
export type SequenceParameters = FrameSize & {
  id: number;
  profileIdc: number;
  /** constraint_set0_flag is the most significant bit */
  constraints: number;
  levelIdc: number;
  /** chroma_format_idc: 0 none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4 */
  chroma: number;
  bitDepth: number;
  frameNumberBits: number;
  pictureOrder: PictureOrder;
  /** frame numbers may be missing */
  allowsGaps: boolean;
  /** false: pictures may be fields or interlaced frames */
  isProgressive: boolean;
};

/** How the order of presentation is coded (8.2.1). `bits` are those of the count in slice headers, for type 0. */
type PictureOrder = { type: number; bits: number };

/** Size and pixel aspect ratio of the cropped frame. Throws RangeError when the parameter set is cut off. */
export function readFrameSize(unit: Buffer): FrameSize {
  const { width, height, sampleAspectRatio } = readSequenceParameters(unit);
  return { width, height, sampleAspectRatio };
}

/** Reads a sequence parameter set with its NAL unit header. Throws RangeError when it is cut off. */
export function readSequenceParameters(unit: Buffer): SequenceParameters {
  const sps = createBits(withoutEmulationPrevention(unit.subarray(1)));
  const profileIdc = sps.bits(8);
  const constraints = sps.bits(8);
  const levelIdc = sps.bits(8);
  const id = sps.unsigned();
  const { chroma, bitDepth } = highProfiles.has(profileIdc) ? readHighProfile(sps) : { chroma: 1, bitDepth: 8 };
  const frameNumberBits = sps.unsigned() + 4;
  const pictureOrder = readPictureOrder(sps);
  sps.unsigned(); // max_num_ref_frames
  const allowsGaps = sps.flag();
  const widthInBlocks = sps.unsigned() + 1;
  const heightInUnits = sps.unsigned() + 1;
  // frame_mbs_only_flag: otherwise a map unit covers a macroblock of each field
  const isProgressive = sps.flag();
  const fields = isProgressive ? 1 : 2;
  if (!isProgressive) sps.flag();
  sps.flag(); // direct_8x8_inference_flag
  const [left, right, top, bottom] = sps.flag()
    ? [sps.unsigned(), sps.unsigned(), sps.unsigned(), sps.unsigned()]
    : [0, 0, 0, 0];
  const cropX = chroma === 1 || chroma === 2 ? 2 : 1;
  const cropY = (chroma === 1 ? 2 : 1) * fields;
  return {
    id,
    profileIdc,
    constraints,
    levelIdc,
    chroma,
    bitDepth,
    frameNumberBits,
    pictureOrder,
    allowsGaps,
    isProgressive,
    width: widthInBlocks * 16 - (left + right) * cropX,
    height: heightInUnits * 16 * fields - (top + bottom) * cropY,
    sampleAspectRatio: readSampleAspectRatio(sps),
  };
}

/** Sample aspect ratios by aspect_ratio_idc (ITU-T H.264, table E-1). */
const sampleAspectRatios = [
  [1, 1],
  [1, 1],
  [12, 11],
  [10, 11],
  [16, 11],
  [40, 33],
  [24, 11],
  [20, 11],
  [32, 11],
  [80, 33],
  [18, 11],
  [15, 11],
  [64, 33],
  [160, 99],
  [4, 3],
  [3, 2],
  [2, 1],
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

function readHighProfile(sps: Bits): { chroma: number; bitDepth: number } {
  const chroma = sps.unsigned();
  if (chroma === 3) sps.flag(); // separate_colour_plane_flag
  const bitDepth = 8 + Math.max(sps.unsigned(), sps.unsigned());
  sps.flag(); // qpprime_y_zero_transform_bypass_flag
  const lists = sps.flag() ? (chroma === 3 ? 12 : 8) : 0;
  for (let list = 0; list < lists; list++) {
    const isPresent = sps.flag();
    if (isPresent) skipScaling(sps, list);
  }
  return { chroma, bitDepth };
}

function skipScaling(sps: Bits, list: number): void {
  let [last, next] = [8, 8];
  for (let position = 0; position < (list < 6 ? 16 : 64); position++) {
    if (next !== 0) next = (last + sps.signed() + 256) % 256;
    if (next !== 0) last = next;
  }
}

function readPictureOrder(sps: Bits): PictureOrder {
  const type = sps.unsigned();
  if (type === 0) return { type, bits: sps.unsigned() + 4 };
  if (type !== 1) return { type, bits: 0 };
  sps.flag();
  sps.signed();
  sps.signed();
  for (let left = sps.unsigned(); left > 0; left--) sps.signed();
  return { type, bits: 0 };
}
