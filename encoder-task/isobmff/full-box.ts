import { readBoxes } from './boxes.ts';

/** Child boxes by type. Throws RangeError where a box that may be there once is there twice: readers take one or the other. */
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

/** Entries of a table after its version, flags and count. Throws RangeError when it claims more than it holds, before any is read. */
export function tableOf(box: Buffer, entryBytes: number, headerBytes = 8): { count: number; entries: Buffer } {
  const count = box.readUInt32BE(headerBytes - 4);
  if (headerBytes + count * entryBytes > box.length) throw new RangeError('a table claims more than it holds');
  return { count, entries: box.subarray(headerBytes, headerBytes + count * entryBytes) };
}

/** A 64-bit number that fits a double exactly. */
export function readSafe64(bytes: Buffer, at: number): number {
  const value = bytes.readBigInt64BE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER) || value < BigInt(Number.MIN_SAFE_INTEGER)) {
    throw new RangeError('a number beyond 53 bits');
  }
  return Number(value);
}
