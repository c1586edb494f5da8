import { type Rational, rational } from '../../shared/media/rational.ts';
import type { VideoRange } from '../../shared/media/video-range.ts';
import { findBox, needBox, readBoxes } from '../isobmff/boxes.ts';

/** What a track's one sample entry says (ISO/IEC 14496-12, 12). */
export type SampleEntry = {
  kind: 'video' | 'audio';
  width: number | null;
  height: number | null;
  sampleAspectRatio: Rational;
  videoRange: VideoRange | null;
  channels: number | null;
};

const square = rational(1, 1);

/** Fields before the boxes of an entry. */
const visualFieldBytes = 78;
const audioFieldBytes = 28;

/** ISO/IEC 23091-2 numbers of transfer characteristics. */
const ranges: Record<number, VideoRange> = { 16: 'PQ', 18: 'HLG' };

/** Reads the sample entry of a trak box. Throws RangeError when there is none. */
export function readSampleEntry(trak: Buffer): SampleEntry {
  const handler = needBox(trak, 'mdia', 'hdlr').toString('latin1', 8, 12);
  const entry = readBoxes(needBox(trak, 'mdia', 'minf', 'stbl', 'stsd').subarray(8))[0];
  if (!entry) throw new RangeError('no sample entry');
  return handler === 'vide' ? visualEntry(entry.payload) : audioEntry(entry.payload);
}

function visualEntry(payload: Buffer): SampleEntry {
  const boxes = payload.subarray(visualFieldBytes);
  const pixels = findBox(boxes, 'pasp');
  const color = findBox(boxes, 'colr');
  const transfer = color?.toString('latin1', 0, 4) === 'nclx' ? color.readUInt16BE(6) : 0;
  return {
    kind: 'video',
    width: payload.readUInt16BE(24),
    height: payload.readUInt16BE(26),
    sampleAspectRatio: pixels ? rational(pixels.readUInt32BE(0), pixels.readUInt32BE(4)) : square,
    videoRange: ranges[transfer] ?? 'SDR',
    channels: null,
  };
}

function audioEntry(payload: Buffer): SampleEntry {
  const boxes = payload.subarray(audioFieldBytes);
  const opus = findBox(boxes, 'dOps');
  const esds = findBox(boxes, 'esds');
  const channels = opus ? opus.readUInt8(1) : esds ? aacChannels(esds) : null;
  return { kind: 'audio', width: null, height: null, sampleAspectRatio: square, videoRange: null, channels };
}

/** The entry's own count is 2 for any AAC; what counts is the decoder's configuration (ISO/IEC 14496-3, 1.6.2.1). */
function aacChannels(esds: Buffer): number | null {
  // tag 5 follows the decoder's 13 bytes of fields; lengths may be padded with 0x80
  for (let at = 4; at + 2 < esds.length; at++) {
    if (esds[at] !== 5) continue;
    let start = at + 1;
    while (esds[start] === 0x80) start++;
    const length = esds[start]!;
    if (start + 1 + length > esds.length || length < 2) continue;
    const configuration = (esds.readUInt16BE(start + 1) >> 3) & 0x0f;
    return configuration === 7 ? 8 : configuration;
  }
  return null;
}
