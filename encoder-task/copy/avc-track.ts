import type { copyProfiles } from '../../shared/protocol/copy-facts.ts';
import { createBits, withoutEmulationPrevention } from '../h264/bits.ts';
import { readSequenceParameters, type SequenceParameters } from '../h264/sequence-parameters.ts';
import { needBox, readBoxes } from '../isobmff/boxes.ts';
import { NotCopyable } from './not-copyable.ts';

/** How the samples of an H.264 track are coded, from its sample entry. */
export type AvcTrack = {
  /** payload of the decoder configuration */
  avcC: Buffer;
  /** payload of the colour box, if the track has one with code points */
  colr: Buffer | undefined;
  /** size of the length before each NAL unit */
  lengthBytes: number;
  sequence: SequenceParameters;
  /** the NAL units of all parameter sets */
  parameterSets: Buffer[];
  pictureSets: ReadonlySet<number>;
};

type Profile = (typeof copyProfiles)[number];
const baselineIdc = 66;
const profilesByIdc = new Map<number, Profile>([
  [baselineIdc, 'baseline'],
  [77, 'main'],
  [100, 'high'],
]);
/** An entry with other boxes may be shown differently by players: cropped, projected or decrypted. */
const plainBoxes = new Set(['avcC', 'pasp', 'colr', 'btrt', 'fiel', 'chrm', 'gama']);
/** Fields before the boxes of a visual sample entry (ISO/IEC 14496-12, 12.1.3). */
const entryFieldBytes = 78;

/**
 * The coding of one track of a movie. Throws NotCopyable for a track whose parameter sets are not complete in its only
 * sample entry, and for one that is not progressive 8-bit video with 4:2:0.
 */
export function readAvcTrack(moov: Buffer, streamIndex: number): AvcTrack {
  try {
    const { avcC, colr } = readEntry(moov, streamIndex);
    const sets = readConfiguration(avcC);
    const sequence = readSequenceParameters(sets.sequence[0]!);
    checkSequence(sequence);
    const pictureSets = new Set(sets.picture.map((unit) => readPictureSetId(unit, sequence)));
    const parameterSets = [...sets.sequence, ...sets.picture];
    const lengthBytes = (avcC.readUInt8(4) & 3) + 1;
    if (lengthBytes === 3) throw new RangeError('lengths of three bytes');
    return { avcC, colr, lengthBytes, sequence, parameterSets, pictureSets };
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

function readEntry(moov: Buffer, streamIndex: number): { avcC: Buffer; colr: Buffer | undefined } {
  const trak = readBoxes(moov).filter(({ type }) => type === 'trak')[streamIndex];
  if (!trak) throw new NotCopyable('sample-entry', 'no such track');
  const stsd = needBox(trak.payload, 'mdia', 'minf', 'stbl', 'stsd');
  const [entry, ...others] = readBoxes(stsd.subarray(8));
  if (entry?.type !== 'avc1' || others.length > 0) throw new NotCopyable('sample-entry', 'not one avc1 entry');
  // four zero bytes may end an entry of QuickTime
  const fields = entry.payload.subarray(entryFieldBytes);
  const isTerminated = fields.length >= 4 && fields.readUInt32BE(fields.length - 4) === 0;
  const boxes = readBoxes(isTerminated ? fields.subarray(0, -4) : fields);
  const other = boxes.find(({ type }) => !plainBoxes.has(type));
  if (other) throw new NotCopyable('sample-entry', `a box ${other.type} in the sample entry`);
  const avcC = boxes.find(({ type }) => type === 'avcC')?.payload;
  if (!avcC) throw new NotCopyable('sample-entry', 'no avcC box');
  const colr = boxes.find(({ type, payload }) => type === 'colr' && payload.toString('latin1', 0, 4) === 'nclx');
  return { avcC, colr: colr?.payload };
}

/** The parameter sets of a decoder configuration record (ISO/IEC 14496-15, 5.3.3.1.2). */
function readConfiguration(avcC: Buffer): { sequence: Buffer[]; picture: Buffer[] } {
  let at = 5;
  const units = (count: number): Buffer[] =>
    Array.from({ length: count }, () => {
      const bytes = avcC.readUInt16BE(at);
      const unit = avcC.subarray(at + 2, at + 2 + bytes);
      if (bytes < 2 || unit.length < bytes) throw new RangeError('a parameter set is cut off');
      at += 2 + bytes;
      return unit;
    });
  const sequence = units(avcC.readUInt8(at++) & 0x1f);
  const picture = units(avcC.readUInt8(at++));
  if (sequence.length !== 1 || picture.length === 0) {
    throw new NotCopyable('parameters', 'not one sequence parameter set with its picture parameter sets');
  }
  return { sequence, picture };
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
