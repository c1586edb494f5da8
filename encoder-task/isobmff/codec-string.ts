import { type AudioSampleEntry, audioCodecProperties, type VideoSampleEntry } from '../../shared/media/codecs.ts';
import { findBox, needBox, readBoxes, visualEntryBoxes } from './boxes.ts';

type SampleEntry = { type: string; payload: Buffer };

/**
 * RFC 6381 string of the one track in a moov box, such as `avc1.640028` or `mp4a.40.2`. Throws RangeError for an
 * unknown sample entry.
 */
export function readCodecString(moov: Buffer): string {
  const stsd = needBox(moov, 'trak', 'mdia', 'minf', 'stbl', 'stsd');
  const entry = readBoxes(stsd.subarray(8))[0];
  if (!entry || !isKnown(entry)) throw new RangeError(`unknown sample entry ${entry?.type}`);
  return describers[entry.type](entry);
}

type KnownEntry = SampleEntry & { type: VideoSampleEntry | AudioSampleEntry };

const describers: Record<KnownEntry['type'], (entry: SampleEntry) => string> = {
  avc1: (entry) => `avc1.${visualConfig(entry, 'avcC').toString('hex', 1, 4)}`,
  hvc1: (entry) => `hvc1.${describeHevc(visualConfig(entry, 'hvcC'))}`,
  av01: (entry) => `av01.${describeAv1(visualConfig(entry, 'av1C'), colorOf(entry))}`,
  vp09: (entry) => `vp09.${describeVp9(visualConfig(entry, 'vpcC'))}`,
  mp4a: () => audioCodecProperties.aac.codecString,
  Opus: () => audioCodecProperties.opus.codecString,
};

const isKnown = (entry: SampleEntry): entry is KnownEntry => Object.hasOwn(describers, entry.type);

const visualConfig = (entry: SampleEntry, type: string): Buffer => needBox(visualEntryBoxes(entry), type);

/** Codes of ISO/IEC 23091-2. */
type Color = { primaries: number; transfer: number; matrix: number; isFullRange: boolean };
const bt709: Color = { primaries: 1, transfer: 1, matrix: 1, isFullRange: false };

/** The box `colr` (ISO/IEC 14496-12, 12.1.5). */
function colorOf(entry: SampleEntry): Color {
  const colr = findBox(visualEntryBoxes(entry), 'colr');
  if (colr?.toString('latin1', 0, 4) !== 'nclx') return bt709;
  const [primaries, transfer, matrix] = [colr.readUInt16BE(4), colr.readUInt16BE(6), colr.readUInt16BE(8)];
  return { primaries, transfer, matrix, isFullRange: (colr.readUInt8(10) & 0x80) !== 0 };
}

/**
 * The fields at the end may be left out together where they are those of 4:2:0 in BT.709, which players assume. The
 * position of the chroma samples alone is no reason for the long form, which old players may not know.
 */
const withColor = (needed: string, optional: string, implied: RegExp): string =>
  implied.test(optional) ? needed : `${needed}.${optional}`;

const colorFields = ({ primaries, transfer, matrix }: Color): string[] => [primaries, transfer, matrix].map(twoDigits);

/**
 * ISO/IEC 14496-15, annex E: profile space and id, compatibility flags with their bits reversed, tier and level,
 * constraint bytes.
 */
function describeHevc(hvcC: Buffer): string {
  const general = hvcC.readUInt8(1);
  const space = ['', 'A', 'B', 'C'][general >> 6];
  const tier = general & 0x20 ? 'H' : 'L';
  let reversed = 0;
  const compatibility = hvcC.readUInt32BE(2);
  for (let bit = 0; bit < 32; bit++) if (compatibility & (1 << bit)) reversed |= 1 << (31 - bit);
  const constraints = [...hvcC.subarray(6, 12)];
  while (constraints.at(-1) === 0) constraints.pop();
  return [
    `${space}${general & 0x1f}`,
    (reversed >>> 0).toString(16).toUpperCase(),
    `${tier}${hvcC.readUInt8(12)}`,
    ...constraints.map((byte) => byte.toString(16).toUpperCase()),
  ].join('.');
}

/** AV1 in ISOBMFF, section 5: profile, level and tier, bit depth; then monochrome, subsampling, colour and range. */
function describeAv1(av1C: Buffer, color: Color): string {
  const profile = av1C.readUInt8(1) >> 5;
  const level = av1C.readUInt8(1) & 0x1f;
  const flags = av1C.readUInt8(2);
  const tier = flags & 0x80 ? 'H' : 'M';
  const bitDepth = flags & 0x40 ? (flags & 0x20 ? 12 : 10) : 8;
  const bit = (mask: number): number => Number((flags & mask) !== 0);
  const subsampling = `${bit(0x08)}${bit(0x04)}${flags & 3}`;
  return withColor(
    `${profile}.${twoDigits(level)}${tier}.${twoDigits(bitDepth)}`,
    [bit(0x10), subsampling, ...colorFields(color), Number(color.isFullRange)].join('.'),
    /^0\.11\d\.01\.01\.01\.0$/,
  );
}

/** VP codec ISO media file format binding: profile, level, bit depth; then subsampling, colour and range. */
function describeVp9(vpcC: Buffer): string {
  const flags = vpcC.readUInt8(6);
  const [primaries, transfer, matrix] = [vpcC.readUInt8(7), vpcC.readUInt8(8), vpcC.readUInt8(9)];
  const color = { primaries, transfer, matrix, isFullRange: (flags & 1) === 1 };
  return withColor(
    [vpcC.readUInt8(4), vpcC.readUInt8(5), flags >> 4].map(twoDigits).join('.'),
    [twoDigits((flags >> 1) & 7), ...colorFields(color), twoDigits(Number(color.isFullRange))].join('.'),
    /^0[01]\.01\.01\.01\.00$/,
  );
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
