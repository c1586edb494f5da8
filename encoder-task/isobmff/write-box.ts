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
