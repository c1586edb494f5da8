import { findBox, needBox } from './boxes.ts';
import type { SampleDefaults } from './media-segment.ts';

/** The sample defaults of the moov box's one track. */
export function readSampleDefaults(moov: Buffer): SampleDefaults {
  const trex = needBox(moov, 'mvex', 'trex');
  return { durationTicks: trex.readUInt32BE(12), bytes: trex.readUInt32BE(16), flags: trex.readUInt32BE(20) };
}

/** Ticks a second of the moov box's one track. */
export function readTimescale(moov: Buffer): number {
  const mdhd = needBox(moov, 'trak', 'mdia', 'mdhd');
  return mdhd[0] === 1 ? mdhd.readUInt32BE(20) : mdhd.readUInt32BE(12);
}

/** Ticks that the edit list takes off every composition time: the encoder's reordering delay or priming. 0 without an edit list. */
export function readEditOffset(moov: Buffer): number {
  const elst = findBox(moov, 'trak', 'edts', 'elst');
  if (!elst || elst.readUInt32BE(4) === 0) return 0;
  return elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12);
}
