import type { ClockSection } from '../../shared/protocol/probe-result.ts';
import { hasTimestamps, shiftPesTimestamps } from './pes-timestamps.ts';

/**
 * Shifts the timestamps in a part of a file, in place, by the section of each packet. `start` is the position of the
 * part in the file. Returns the number of processed bytes: an incomplete packet at the end is left for the next part,
 * unless the file ends there.
 */
export type Retime = (bytes: Buffer, start: number, isEnd: boolean) => number;

/** Undefined for containers whose clock cannot restart. */
export function retimeFor(formatName: string, sections: ClockSection[], head: Buffer): Retime | undefined {
  if (sections.length === 0) return undefined;
  const shiftAt = shiftsOf(sections);
  if (formatName === 'mpegts') return retimeTransportStream(detectStride(head), shiftAt);
  if (formatName === 'mpeg') return retimeProgramStream(shiftAt);
  return undefined;
}

/** Sections are in file order. Timestamps before the first one are not shifted. */
function shiftsOf(sections: ClockSection[]): (position: number) => number {
  return (position) => {
    let [low, high] = [-1, sections.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (sections[middle]!.fromByte <= position) low = middle;
      else high = middle;
    }
    return sections[low]?.shiftTicks ?? 0;
  };
}

const syncByte = 0x47;
const packetBytes = 188;
/** Camcorders add four bytes before each packet, broadcasters sixteen bytes of error correction after it. */
const strides = [packetBytes, 192, 204];

/** Distance between packets: the one with the most sync bytes at the same offset. */
function detectStride(head: Buffer): number {
  const most = strides.map((stride) => {
    const counts = Array<number>(stride).fill(0);
    for (let at = 0; at < head.length; at++) if (head[at] === syncByte) counts[at % stride]! += stride;
    return Math.max(...counts);
  });
  return strides[most.indexOf(Math.max(...most))]!;
}

/** ISO/IEC 13818-1, 2.4.3. A PES packet starts at the payload of a transport stream packet. */
const retimeTransportStream =
  (stride: number, shiftAt: (position: number) => number): Retime =>
  (bytes, start, isEnd) => {
    let at = 0;
    while (at + (isEnd ? packetBytes : stride) <= bytes.length) {
      const next = bytes[at + stride];
      if (bytes[at] !== syncByte || (next !== undefined && next !== syncByte)) {
        // bytes are missing or extra here; like the demuxer, search for the next packet
        at += 1;
        continue;
      }
      const payload = payloadOf(bytes, at);
      const shiftTicks = shiftAt(start + at);
      if (payload && shiftTicks !== 0) shiftPesTimestamps(bytes, payload, at + packetBytes, shiftTicks);
      at += stride;
    }
    return isEnd ? bytes.length : at;
  };

/** Position of the PES packet that starts in this packet, if one does. */
function payloadOf(bytes: Buffer, at: number): number | undefined {
  const [startsUnit, scrambling] = [bytes[at + 1]! & 0x40, bytes[at + 3]! & 0xc0];
  const [hasAdaptation, hasPayload] = [bytes[at + 3]! & 0x20, bytes[at + 3]! & 0x10];
  if (!startsUnit || scrambling || !hasPayload) return undefined;
  const payload = at + 4 + (hasAdaptation ? 1 + bytes[at + 4]! : 0);
  if (payload + 4 > at + packetBytes) return undefined;
  const isPes = bytes.readUIntBE(payload, 3) === 1 && hasTimestamps(bytes[payload + 3]!);
  return isPes ? payload : undefined;
}

const startCode = Buffer.from([0, 0, 1]);
/** System header, program stream map, padding and private stream 2, which contain no start codes. */
const skippedIds = new Set([0xbb, 0xbc, 0xbe, 0xbf]);

/** ISO/IEC 13818-1, 2.5.3, and 11172-1. Bytes between packets are skipped, as the demuxer does. */
const retimeProgramStream =
  (shiftAt: (position: number) => number): Retime =>
  (bytes, start, isEnd) => {
    let at = 0;
    for (;;) {
      const found = bytes.indexOf(startCode, at);
      if (found === -1) return isEnd ? bytes.length : Math.max(at, bytes.length - startCode.length + 1);
      const isCut = found + 6 > bytes.length;
      if (isCut) return isEnd ? bytes.length : found;
      const id = bytes[found + 3]!;
      const isPes = hasTimestamps(id);
      const end = isPes || skippedIds.has(id) ? found + 6 + bytes.readUInt16BE(found + 4) : found + 4;
      if (end > bytes.length && !isEnd) return found;
      const shiftTicks = shiftAt(start + found);
      if (isPes && shiftTicks !== 0) shiftPesTimestamps(bytes, found, Math.min(end, bytes.length), shiftTicks);
      at = end;
      if (at >= bytes.length) return bytes.length;
    }
  };
