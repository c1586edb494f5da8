/** Timestamps of MPEG systems count 90,000 a second in 33 bits, and start again at 0 after 26.5 hours. */
const timestampRange = 2 ** 33;

/** Streams whose packets have the optional header that holds timestamps (ISO/IEC 13818-1, 2.4.3.7): audio, video, private stream 1, extended. */
export const hasTimestamps = (streamId: number): boolean =>
  (streamId >= 0xc0 && streamId <= 0xef) || streamId === 0xbd || streamId === 0xfd;

/** Moves the timestamps of the PES packet that begins at `at`, in place. Those that do not lie before `end` stay. */
export function shiftPesTimestamps(bytes: Buffer, at: number, end: number, ticks: number): void {
  for (const place of timestampPlaces(bytes, at, end)) if (place + 5 <= end) shiftTimestamp(bytes, place, ticks);
}

/** PTS, and DTS where it differs. */
function timestampPlaces(bytes: Buffer, at: number, end: number): number[] {
  if (at + 9 > end) return [];
  const isMpeg2 = (bytes[at + 6]! & 0xc0) === 0x80;
  return isMpeg2 ? placesAfter(at + 9, bytes[at + 7]! >> 6) : mpeg1Places(bytes, at + 6, end);
}

const placesAfter = (first: number, flags: number): number[] =>
  flags === 3 ? [first, first + 5] : flags === 2 ? [first] : [];

/** In MPEG-1 (ISO/IEC 11172-1, 2.4.3.3), stuffing and the size of a buffer may come before. */
function mpeg1Places(bytes: Buffer, from: number, end: number): number[] {
  let at = from;
  while (at < end && bytes[at] === 0xff) at += 1;
  if (at < end && bytes[at]! >> 6 === 1) at += 2;
  return at < end ? placesAfter(at, bytes[at]! >> 4) : [];
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
