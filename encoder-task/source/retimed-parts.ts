import type { Retime } from '../mpegts/retime.ts';

/** Reads the next bytes of a file from a position on: at least one. */
export type ReadPart = (position: number) => Promise<Buffer>;

/**
 * Reads a file with corrected timestamps. Each part ends at the end of a packet, and the first bytes of the next packet
 * are kept for the next read.
 */
export function retimedParts(readPart: ReadPart, totalBytes: number, retime: Retime): ReadPart {
  let kept = { start: 0, bytes: Buffer.alloc(0) };
  return async (position) => {
    let bytes = kept.start === position ? kept.bytes : Buffer.alloc(0);
    for (;;) {
      const next = position + bytes.length;
      // a copy, because the original bytes may be cached
      bytes = next < totalBytes ? Buffer.concat([bytes, await readPart(next)]) : Buffer.from(bytes);
      const doneBytes = retime(bytes, position, position + bytes.length === totalBytes);
      if (doneBytes === 0) continue;
      kept = { start: position + doneBytes, bytes: bytes.subarray(doneBytes) };
      return bytes.subarray(0, doneBytes);
    }
  };
}
