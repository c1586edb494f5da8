import type { copyProfiles } from '../../shared/protocol/copy-properties.ts';
import { createBits, hasStartCode, withoutEmulationPrevention } from '../h264/bits.ts';
import { readSequenceParameters, type SequenceParameters } from '../h264/sequence-parameters.ts';
import { needBox, readBoxes, visualEntryBoxes } from '../isobmff/boxes.ts';
import { uint16 } from '../isobmff/write-box.ts';
import { NotCopyable } from './not-copyable.ts';

/** How the samples of an H.264 track are coded, from its sample entry. */
export type AvcTrack = {
  /** payload of a decoder configuration that agrees with the parameter sets */
  avcC: Buffer;
  /** payload of a colour box (nclx), if the track has one with code points */
  colr: Buffer | undefined;
  /** size of the length before each NAL unit */
  lengthBytes: number;
  sequence: SequenceParameters;
  /** the NAL units of all parameter sets */
  parameterSets: Buffer[];
  pictureSets: ReadonlySet<number>;
};

type Profile = (typeof copyProfiles)[number];
type Sets = { sequence: Buffer[]; picture: Buffer[] };
const baselineIdc = 66;
const highIdc = 100;
const profilesByIdc = new Map<number, Profile>([
  [baselineIdc, 'baseline'],
  [77, 'main'],
  [highIdc, 'high'],
]);
/** An entry with other boxes may be shown differently by players: cropped, projected or decrypted. */
const plainBoxes = new Set(['avcC', 'pasp', 'colr', 'btrt', 'fiel', 'chrm', 'gama']);

/**
 * The coding of one track of a movie. Throws NotCopyable for a track whose parameter sets are not complete in its only
 * sample entry, and for one that is not progressive 8-bit video with 4:2:0.
 */
export function readAvcTrack(moov: Buffer, streamIndex: number): AvcTrack {
  try {
    const trak = readBoxes(moov).filter(({ type }) => type === 'trak')[streamIndex];
    if (!trak) throw new NotCopyable('sample-entry', 'no such track');
    checkMatrix(needBox(moov, 'mvhd'), matrixOffsets.mvhd);
    checkMatrix(needBox(trak.payload, 'tkhd'), matrixOffsets.tkhd);
    const { avcC, colr } = readEntry(trak.payload);
    const sets = readConfiguration(avcC);
    const sequence = readSequenceParameters(sets.sequence[0]!);
    checkSequence(sequence);
    const pictureSets = new Set(sets.picture.map((unit) => readPictureSetId(unit, sequence)));
    const parameterSets = [...sets.sequence, ...sets.picture];
    const lengthBytes = (avcC.readUInt8(4) & 3) + 1;
    if (lengthBytes === 3) throw new RangeError('lengths of three bytes');
    return { avcC: configurationOf(sets, lengthBytes), colr, lengthBytes, sequence, parameterSets, pictureSets };
  } catch (error) {
    if (error instanceof RangeError) throw new NotCopyable('sample-entry', error.message);
    throw error;
  }
}

export const profileOf = ({ profileIdc }: SequenceParameters): Profile => profilesByIdc.get(profileIdc)!;

/** The container may declare another picture than the bitstream. */
export function checkPicture({ sequence }: AvcTrack, declared: { width: number; height: number }): void {
  const { width, height, sampleAspectRatio: shape } = sequence;
  if (width !== declared.width || height !== declared.height || shape.num !== shape.den) {
    throw new NotCopyable('parameters', `${width} x ${height} pixels of ${shape.num}:${shape.den}`);
  }
}

/** Where the matrix of a header begins, by the version of the box (ISO/IEC 14496-12, 8.2.2 and 8.3.2). */
const matrixOffsets = { mvhd: [36, 48], tkhd: [40, 52] };

/** The segments of a copy have no matrix, so that it must change nothing but the position. */
function checkMatrix(header: Buffer, offsets: number[]): void {
  const at = offsets[header[0] === 1 ? 1 : 0]!;
  const [a, b, c, d] = [0, 4, 12, 16].map((offset) => header.readInt32BE(at + offset));
  if (b !== 0 || c !== 0 || a !== d || a! <= 0) throw new NotCopyable('transform', `a matrix of ${[a, b, c, d]}`);
}

function readEntry(trak: Buffer): { avcC: Buffer; colr: Buffer | undefined } {
  const stsd = needBox(trak, 'mdia', 'minf', 'stbl', 'stsd');
  const [entry, ...others] = readBoxes(stsd.subarray(8));
  if (entry?.type !== 'avc1' || others.length > 0) throw new NotCopyable('sample-entry', 'not one avc1 entry');
  const boxes = readBoxes(visualEntryBoxes(entry));
  const other = boxes.find(({ type }) => !plainBoxes.has(type));
  if (other) throw new NotCopyable('sample-entry', `a box ${other.type} in the sample entry`);
  const avcC = boxes.find(({ type }) => type === 'avcC')?.payload;
  if (!avcC) throw new NotCopyable('sample-entry', 'no avcC box');
  const colors = boxes.flatMap(({ type, payload }) => (type === 'colr' ? (codePoints(payload) ?? []) : []));
  return { avcC, colr: colors[0] };
}

/** A colour box of MP4. That of QuickTime has the same code points without the range of values. */
function codePoints(colr: Buffer): Buffer | undefined {
  const type = colr.toString('latin1', 0, 4);
  if (colr.length < 10 || (type !== 'nclx' && type !== 'nclc')) return undefined;
  return Buffer.concat([Buffer.from('nclx', 'latin1'), colr.subarray(4, 10), Buffer.from([colr[10] ?? 0])]);
}

/** The parameter sets of a decoder configuration record (ISO/IEC 14496-15, 5.3.3.1.2). */
function readConfiguration(avcC: Buffer): Sets {
  let at = 5;
  const units = (count: number, unitType: number): Buffer[] =>
    Array.from({ length: count }, () => {
      const bytes = avcC.readUInt16BE(at);
      const unit = avcC.subarray(at + 2, at + 2 + bytes);
      if (bytes < 2 || unit.length < bytes) throw new RangeError('a parameter set is cut off');
      if ((unit[0]! & 0x9f) !== unitType || hasStartCode(unit)) {
        throw new NotCopyable('parameters', 'a parameter set is of another kind, or damaged');
      }
      at += 2 + bytes;
      return unit;
    });
  const sequence = units(avcC.readUInt8(at++) & 0x1f, setTypes.sequence);
  const picture = units(avcC.readUInt8(at++), setTypes.picture);
  if (sequence.length !== 1 || picture.length === 0) {
    throw new NotCopyable('parameters', 'not one sequence parameter set with its picture parameter sets');
  }
  return { sequence, picture };
}

const setTypes = { sequence: 7, picture: 8 };

/**
 * The decoder configuration of parameter sets. The profile and level of the file may be wrong, and players decide by
 * them. The fields at the end are those of 4:2:0 with 8 bits.
 */
function configurationOf({ sequence: [sequence], picture }: Sets, lengthBytes: number): Buffer {
  const counted = (unit: Buffer): Buffer[] => [uint16(unit.length), unit];
  return Buffer.concat([
    Buffer.from([1]),
    sequence!.subarray(1, 4),
    Buffer.from([0xfc | (lengthBytes - 1), 0xe0 | 1]),
    ...counted(sequence!),
    Buffer.from([picture.length]),
    ...picture.flatMap(counted),
    ...(sequence![1] === highIdc ? [Buffer.from([0xfc | 1, 0xf8, 0xf8, 0])] : []),
  ]);
}

function checkSequence(sequence: SequenceParameters): void {
  const { profileIdc, constraints, chroma, bitDepth, isProgressive, frameNumberBits, pictureOrder } = sequence;
  // players decode only the part of baseline that is in main as well
  const isSupported = profilesByIdc.has(profileIdc) && (profileIdc !== baselineIdc || (constraints & 0x40) !== 0);
  if (!isSupported || chroma !== 1 || bitDepth !== 8) {
    throw new NotCopyable('profile', `profile ${profileIdc}, chroma format ${chroma}, ${bitDepth} bits`);
  }
  if (!isProgressive) throw new NotCopyable('interlaced', 'the sequence may contain fields');
  if (frameNumberBits > 16 || pictureOrder.type > 2 || pictureOrder.type === 1 || pictureOrder.bits > 16) {
    throw new NotCopyable('parameters', `pictures are ordered by type ${pictureOrder.type}`);
  }
}

/** pic_parameter_set_id (7.3.2.2). */
function readPictureSetId(unit: Buffer, sequence: SequenceParameters): number {
  const set = createBits(withoutEmulationPrevention(unit.subarray(1, 32)));
  const id = set.unsigned();
  if (set.unsigned() !== sequence.id)
    throw new NotCopyable('parameters', 'a picture parameter set of another sequence');
  return id;
}
