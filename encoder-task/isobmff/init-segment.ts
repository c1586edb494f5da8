import { findBox, needBox } from './boxes.ts';
import { readTrex, type SampleDefaults } from './track-fragment.ts';

/** The sample defaults of the one track in a moov box. */
export const readSampleDefaults = (moov: Buffer): SampleDefaults => readTrex(needBox(moov, 'mvex', 'trex'));

/** Ticks per second of the one track in a moov box. */
export function readTimescale(moov: Buffer): number {
  const mdhd = needBox(moov, 'trak', 'mdia', 'mdhd');
  return mdhd[0] === 1 ? mdhd.readUInt32BE(20) : mdhd.readUInt32BE(12);
}

/**
 * Ticks that the edit list removes from every composition time: the encoder's reordering delay or priming. 0 without an
 * edit list.
 */
export function readEditOffset(moov: Buffer): number {
  const elst = findBox(moov, 'trak', 'edts', 'elst');
  if (!elst || elst.readUInt32BE(4) === 0) return 0;
  return elst[0] === 1 ? Number(elst.readBigInt64BE(16)) : elst.readInt32BE(12);
}
