/** Reads the fields of an H.264 syntax structure, most significant bit first. Throws RangeError at its end. */
export type Bits = {
  flag: () => boolean;
  bits: (count: number) => number;
  /** ue(v), an Exp-Golomb code (ITU-T H.264, 9.1) */
  unsigned: () => number;
  /** se(v) */
  signed: () => number;
};

/** After two zero bytes, a byte 3 prevents that the following bytes look like a start code (7.4.1). */
export function withoutEmulationPrevention(bytes: Buffer): Buffer {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0)) as Buffer;
}

const zeros = Buffer.alloc(2);

/**
 * Whether two zero bytes precede a byte below 3. Emulation prevention leaves none, so they show parts that were filled
 * with zeros.
 */
export function hasStartCode(unit: Buffer): boolean {
  for (let at = unit.indexOf(zeros); at !== -1; at = unit.indexOf(zeros, at + 2)) {
    if ((unit[at + 2] ?? 0) < 3) return true;
  }
  return false;
}

/** @param bytes without emulation prevention */
export function createBits(bytes: Buffer): Bits {
  let at = 0;
  const flag = (): boolean => {
    const byte = bytes[at >> 3];
    if (byte === undefined) throw new RangeError('a syntax structure is cut off');
    return ((byte >> (7 - (at++ & 7))) & 1) === 1;
  };
  const bits = (count: number): number => {
    let value = 0;
    for (let left = count; left > 0; left--) value = value * 2 + Number(flag());
    return value;
  };
  /** The number of leading zeros is the number of bits after the one. */
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
