/** A box of an ISO base media file. */
export function box(type: string, ...payload: Buffer[]): Buffer {
  const bytes = payload.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([uint32(bytes), Buffer.from(type, 'latin1'), ...payload]);
}

/** A box that starts with its version and flags. */
export const fullBox = (type: string, flags: number, ...payload: Buffer[]): Buffer =>
  box(type, uint32(flags), ...payload);

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [n, value] of values.entries()) bytes.writeUInt32BE(value, 4 * n);
  return bytes;
}

export function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const brands = (...names: string[]): Buffer => Buffer.from(names.join(''), 'latin1');

/** The first box of init segments, with the brand that players of CMAF look for (ISO/IEC 23000-19, 7.2). */
export const initFileType = box('ftyp', brands('iso5'), uint32(0x200), brands('iso5', 'iso6', 'mp41', 'cmfc'));
/** The first box of media segments. It is as long as that of ffmpeg, so that it can replace it within the file. */
export const segmentFileType = box('styp', brands('msdh'), uint32(0), brands('msdh', 'cmfs'));
