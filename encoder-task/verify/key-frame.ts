/**
 * Whether a decoder can start at this sample by what is in it, whatever flags say: an IDR picture of H.264, an IRAP one of HEVC. Of other codecs nothing
 * is read, and true is the answer.
 */
export function canStartAt(sample: Buffer, codecs: string): boolean {
  if (codecs.startsWith('avc')) return nalUnits(sample).some((unit) => (unit[0]! & 0x1f) === 5);
  if (codecs.startsWith('hvc') || codecs.startsWith('hev')) {
    return nalUnits(sample).some((unit) => {
      const type = (unit[0]! >> 1) & 0x3f;
      return type >= 16 && type <= 21;
    });
  }
  return true;
}

/** Units behind lengths of four bytes, as MP4 has them. */
function nalUnits(sample: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 < sample.length; ) {
    const length = sample.readUInt32BE(at);
    units.push(sample.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return units.filter((unit) => unit.length > 0);
}
