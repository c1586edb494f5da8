import type { Retime } from '../mpegts/retime.ts';

/** Bytes of a file from a position on: at least one, as many as are at hand. */
export type ReadPart = (position: number) => Promise<Buffer>;

/**
 * Reads a file with other timestamps in it. A part ends where a packet does, so that who reads on begins with a whole one; the bytes of the next one that
 * came along are kept for that.
 */
export function retimedParts(readPart: ReadPart, totalBytes: number, retime: Retime): ReadPart {
  let kept = { start: 0, bytes: Buffer.alloc(0) };
  return async (position) => {
    let bytes = kept.start === position ? kept.bytes : Buffer.alloc(0);
    for (;;) {
      const next = position + bytes.length;
      // copied: what is read may be kept elsewhere as it is
      bytes = next < totalBytes ? Buffer.concat([bytes, await readPart(next)]) : Buffer.from(bytes);
      const doneBytes = retime(bytes, position, position + bytes.length === totalBytes);
      if (doneBytes === 0) continue;
      kept = { start: position + doneBytes, bytes: bytes.subarray(doneBytes) };
      return bytes.subarray(0, doneBytes);
    }
  };
}
