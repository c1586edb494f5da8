import { type Rational, rational } from '../../shared/media/rational.ts';

/** Profiles whose sequence parameter sets say more of chroma, depth and scaling (ITU-T H.264, 7.3.2.1.1). */
const highProfiles = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);

export type PictureShape = { width: number; height: number; sampleAspectRatio: Rational };

type Bits = { flag: () => boolean; bits: (count: number) => number; unsigned: () => number; signed: () => number };

/**
 * Size and shape of the shown picture by an H.264 sequence parameter set, which starts with the byte of its unit type. Throws RangeError when it is cut
 * off.
 */
export function h264Size(unit: Buffer): PictureShape {
  const sps = createBits(withoutEscapes(unit.subarray(1)));
  const profile = sps.bits(8);
  sps.bits(16); // constraints, level
  sps.unsigned(); // its number
  const chroma = highProfiles.has(profile) ? readHighProfile(sps) : 1;
  sps.unsigned(); // frame numbers
  skipPictureOrder(sps);
  sps.unsigned(); // reference frames
  sps.flag(); // gaps in frame numbers
  const widthInBlocks = sps.unsigned() + 1;
  const heightInUnits = sps.unsigned() + 1;
  // of fields, a unit is a block of each
  const fields = sps.flag() ? 1 : 2;
  if (fields === 2) sps.flag();
  sps.flag(); // direct inference
  const [left, right, top, bottom] = sps.flag()
    ? [sps.unsigned(), sps.unsigned(), sps.unsigned(), sps.unsigned()]
    : [0, 0, 0, 0];
  const cropX = chroma === 1 || chroma === 2 ? 2 : 1;
  const cropY = (chroma === 1 ? 2 : 1) * fields;
  return {
    width: widthInBlocks * 16 - (left + right) * cropX,
    height: heightInUnits * 16 * fields - (top + bottom) * cropY,
    sampleAspectRatio: readPixelShape(sps),
  };
}

/** Shapes of pixels by their number (ITU-T H.264, table E-1), as `num, den`. */
const pixelShapes = [
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
const ownShape = 255;

/** The head of the usability information; square when nothing is said. */
function readPixelShape(sps: Bits): Rational {
  const isSaid = sps.flag() && sps.flag();
  if (!isSaid) return rational(1, 1);
  const number = sps.bits(8);
  const [num, den] = number === ownShape ? [sps.bits(16), sps.bits(16)] : (pixelShapes[number] ?? [1, 1]);
  return num > 0 && den > 0 ? rational(num, den) : rational(1, 1);
}

/** How chroma is sampled: 0 none, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4. */
function readHighProfile(sps: Bits): number {
  const chroma = sps.unsigned();
  if (chroma === 3) sps.flag(); // planes apart
  sps.unsigned(); // depth of luma
  sps.unsigned(); // depth of chroma
  sps.flag(); // lossless
  const lists = sps.flag() ? (chroma === 3 ? 12 : 8) : 0;
  for (let list = 0; list < lists; list++) {
    const isGiven = sps.flag();
    if (isGiven) skipScaling(sps, list);
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

/** Behind two zeros, a three keeps what follows from looking like a start code (7.4.1). */
function withoutEscapes(bytes: Buffer): Buffer {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0)) as Buffer;
}

function createBits(bytes: Buffer): Bits {
  let at = 0;
  const flag = (): boolean => {
    const byte = bytes[at >> 3];
    if (byte === undefined) throw new RangeError('its sequence parameters are cut off');
    return ((byte >> (7 - (at++ & 7))) & 1) === 1;
  };
  const bits = (count: number): number => {
    let value = 0;
    for (let left = count; left > 0; left--) value = value * 2 + Number(flag());
    return value;
  };
  /** Exp-Golomb (9.1): as many zeros as bits follow the one. */
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
