import type { ClockSection } from '../../shared/protocol/probe-result.ts';
import { hasTimestamps, shiftPesTimestamps } from './pes-timestamps.ts';

/**
 * Moves the timestamps in bytes of a file, in place, by what the sections say for the place of each packet. `start` is where the bytes lie in the file.
 * Resolves with how many bytes are done: a packet that is not here whole is left for later, unless the file ends with it.
 */
export type Retime = (bytes: Buffer, start: number, isEnd: boolean) => number;

/** Undefined for containers whose clock cannot start again on the way. */
export function retimeFor(formatName: string, sections: ClockSection[], head: Buffer): Retime | undefined {
  if (sections.length === 0) return undefined;
  const shiftAt = shiftsOf(sections);
  if (formatName === 'mpegts') return retimeTransportStream(strideOf(head), shiftAt);
  if (formatName === 'mpeg') return retimeProgramStream(shiftAt);
  return undefined;
}

/** Sections are in the order of the file; before the first one nothing is moved. */
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
/** Camcorders put four bytes in front of each packet, broadcasters sixteen of error correction behind it. */
const strides = [packetBytes, 192, 204];

/** From one packet of a transport stream to the next: where a sync byte is followed by most others. */
function strideOf(head: Buffer): number {
  const most = strides.map((stride) => {
    const counts = Array<number>(stride).fill(0);
    for (let at = 0; at < head.length; at++) if (head[at] === syncByte) counts[at % stride]! += stride;
    return Math.max(...counts);
  });
  return strides[most.indexOf(Math.max(...most))]!;
}

/** ISO/IEC 13818-1, 2.4.3. A header of a PES packet begins with a packet of the transport stream. */
const retimeTransportStream =
  (stride: number, shiftAt: (position: number) => number): Retime =>
  (bytes, start, isEnd) => {
    let at = 0;
    while (at + (isEnd ? packetBytes : stride) <= bytes.length) {
      const next = bytes[at + stride];
      if (bytes[at] !== syncByte || (next !== undefined && next !== syncByte)) {
        // bytes are missing or in excess here: the demuxer looks for the next packet, too
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

/** Where the PES packet begins that begins with this packet, if one does. */
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
/** System header, map of the streams, padding and private stream 2: nothing in them is a start code. */
const skippedIds = new Set([0xbb, 0xbc, 0xbe, 0xbf]);

/** ISO/IEC 13818-1, 2.5.3, and 11172-1. Packets follow one another; whatever lies between them is passed over, as the demuxer does. */
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
