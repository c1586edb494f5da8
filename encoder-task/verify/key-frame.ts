/**
 * Whether a decoder can start at this sample, by its NAL units and not by flags: an IDR picture of H.264, an IRAP
 * picture of HEVC. True for other codecs, which are not examined.
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

/** NAL units after lengths of four bytes (ISO/IEC 14496-15, 4.3). */
function nalUnits(sample: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 4 < sample.length; ) {
    const length = sample.readUInt32BE(at);
    units.push(sample.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return units.filter((unit) => unit.length > 0);
}
