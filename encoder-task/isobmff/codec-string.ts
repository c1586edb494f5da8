import { type AudioSampleEntry, audioCodecFacts, type VideoSampleEntry } from '../../shared/media/codecs.ts';
import { needBox, readBoxes } from './boxes.ts';

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
  av01: (entry) => `av01.${describeAv1(visualConfig(entry, 'av1C'))}`,
  vp09: (entry) => `vp09.${describeVp9(visualConfig(entry, 'vpcC'))}`,
  mp4a: () => audioCodecFacts.aac.codecString,
  Opus: () => audioCodecFacts.opus.codecString,
};

const isKnown = (entry: SampleEntry): entry is KnownEntry => Object.hasOwn(describers, entry.type);

/** Boxes of a visual sample entry follow 78 bytes of fields (ISO/IEC 14496-12, 12.1.3). */
const visualConfig = (entry: SampleEntry, type: string): Buffer => needBox(entry.payload.subarray(78), type);

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

/** AV1 in ISOBMFF, section 5: profile, level and tier, bit depth. */
function describeAv1(av1C: Buffer): string {
  const profile = av1C.readUInt8(1) >> 5;
  const level = av1C.readUInt8(1) & 0x1f;
  const flags = av1C.readUInt8(2);
  const tier = flags & 0x80 ? 'H' : 'M';
  const bitDepth = flags & 0x40 ? (flags & 0x20 ? 12 : 10) : 8;
  return `${profile}.${twoDigits(level)}${tier}.${twoDigits(bitDepth)}`;
}

/** VP codec ISO media file format binding: profile, level, bit depth. */
function describeVp9(vpcC: Buffer): string {
  return [vpcC.readUInt8(4), vpcC.readUInt8(5), vpcC.readUInt8(6) >> 4].map(twoDigits).join('.');
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');
