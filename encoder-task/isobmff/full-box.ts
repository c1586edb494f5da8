import { readBoxes } from './boxes.ts';

/**
 * The first child box of each type. Throws RangeError when a box of the types in `once` is repeated, because readers
 * differ in which one they use.
 */
export function boxesByType(payload: Buffer, once: readonly string[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const { type, payload: child } of readBoxes(payload)) {
    if (found.has(type) && once.includes(type)) throw new RangeError(`two ${type} boxes`);
    if (!found.has(type)) found.set(type, child);
  }
  return found;
}

export function need(boxes: Map<string, Buffer>, type: string): Buffer {
  const box = boxes.get(type);
  if (!box) throw new RangeError(`no ${type} box`);
  return box;
}

/**
 * Entries of a table after version, flags and count. Throws RangeError when the box has no room for `count` entries,
 * before any is read.
 */
export function tableOf(box: Buffer, entryBytes: number, headerBytes = 8): { count: number; entries: Buffer } {
  const count = box.readUInt32BE(headerBytes - 4);
  if (headerBytes + count * entryBytes > box.length) throw new RangeError('a table with more entries than data');
  return { count, entries: box.subarray(headerBytes, headerBytes + count * entryBytes) };
}

/** A 64-bit integer. Throws RangeError when a double cannot represent it exactly. */
export function readSafe64(bytes: Buffer, at: number): number {
  const value = bytes.readBigInt64BE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER)) {
    throw new RangeError('an integer beyond 53 bits');
  }
  return Number(value);
}
