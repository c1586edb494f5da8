/** MPEG timestamps have 33 bits at 90 kHz, and wrap to 0 after 26.5 hours. */
const timestampRange = 2 ** 33;

/**
 * Stream ids whose packets have the optional header with timestamps (ISO/IEC 13818-1, 2.4.3.7): audio, video, private
 * stream 1, extended.
 */
export const hasTimestamps = (streamId: number): boolean =>
  (streamId >= 0xc0 && streamId <= 0xef) || streamId === 0xbd || streamId === 0xfd;

/** Shifts the timestamps of the PES packet at `at`, in place. Timestamps that reach beyond `end` are not changed. */
export function shiftPesTimestamps(bytes: Buffer, at: number, end: number, ticks: number): void {
  for (const position of timestampPositions(bytes, at, end)) {
    if (position + 5 <= end) shiftTimestamp(bytes, position, ticks);
  }
}

/** Positions of the PTS, and of the DTS if there is one. */
function timestampPositions(bytes: Buffer, at: number, end: number): number[] {
  if (at + 9 > end) return [];
  const isMpeg2 = (bytes[at + 6]! & 0xc0) === 0x80;
  return isMpeg2 ? positionsFrom(at + 9, bytes[at + 7]! >> 6) : mpeg1Positions(bytes, at + 6, end);
}

const positionsFrom = (first: number, flags: number): number[] =>
  flags === 3 ? [first, first + 5] : flags === 2 ? [first] : [];

/** In MPEG-1 (ISO/IEC 11172-1, 2.4.3.3), stuffing bytes and the buffer size may precede the timestamps. */
function mpeg1Positions(bytes: Buffer, from: number, end: number): number[] {
  let at = from;
  while (at < end && bytes[at] === 0xff) at += 1;
  if (at < end && bytes[at]! >> 6 === 1) at += 2;
  return at < end ? positionsFrom(at, bytes[at]! >> 4) : [];
}

/** 3, 15 and 15 bits, each followed by a marker bit. */
function shiftTimestamp(bytes: Buffer, at: number, ticks: number): void {
  const [high, middle, low] = [bytes[at]!, bytes.readUInt16BE(at + 1), bytes.readUInt16BE(at + 3)];
  const timestamp = ((high >> 1) & 7) * 2 ** 30 + (middle >> 1) * 2 ** 15 + (low >> 1);
  const shifted = (((timestamp + ticks) % timestampRange) + timestampRange) % timestampRange;
  bytes[at] = (high & 0xf1) | (Math.floor(shifted / 2 ** 30) << 1);
  bytes.writeUInt16BE((middle & 1) | ((Math.floor(shifted / 2 ** 15) & 0x7fff) << 1), at + 1);
  bytes.writeUInt16BE((low & 1) | ((shifted & 0x7fff) << 1), at + 3);
}
