import { copiedInit } from '../../../../encoder-task/copy/copied-init.ts';
import { readSequenceParameters } from '../../../../encoder-task/h264/sequence-parameters.ts';
import { needBox } from '../../../../encoder-task/isobmff/boxes.ts';
import type { FrameGrid } from '../../../../shared/protocol/encode-spec.ts';

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** Sequence parameter sets of 320 × 180 pixels. */
export const sequences = {
  high: bytesOf('6764001eacd941419f9d'),
  main: bytesOf('674d001eeca0a0cfce80'),
  constrainedBaseline: bytesOf('6742c01eeca0a0cfce80'),
  baseline: bytesOf('6742001eeca0a0cfce80'),
  '4:4:4': bytesOf('67f4001e919b282833f3a0'),
  '10 bits': bytesOf('677a001eb6cd941419f9d0'),
  interlaced: bytesOf('6764001eacd941431f3a'),
};
export const picture = bytesOf('68ee3880');
/** of a sequence that is not there */
export const pictureOfOther = bytesOf('68ab8e20');

const counted = (unit: Buffer): number[] => [unit.length >> 8, unit.length & 0xff, ...unit];

/** A decoder configuration. Its first bytes are those of the sequence, if nothing else is given. */
export function configuration(sets: { sequence?: Buffer[]; picture?: Buffer[] } = {}, head?: number[]): Buffer {
  const { sequence = [sequences.high], picture: pictures = [picture] } = sets;
  return Buffer.from([
    ...(head ?? [1, ...(sequence[0] ?? sequences.high).subarray(1, 4), 0xff]),
    0xe0 | sequence.length,
    ...sequence.flatMap(counted),
    pictures.length,
    ...pictures.flatMap(counted),
  ]);
}

const grid = { timescale: 25_000, ticksPerFrame: 1000 } as FrameGrid;
const sequence = readSequenceParameters(sequences.high);

/** The movie header of a file with one track. */
export function moovOf(avcC: Buffer, colr?: Buffer): Buffer {
  const track = { avcC, colr, sequence, lengthBytes: 4, parameterSets: [], pictureSets: new Set<number>() };
  return needBox(copiedInit(track, grid, 0), 'moov');
}
