import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeDocument, ProbeStream } from '../../shared/protocol/probe-document.ts';
import { readBoxes, sampleEntries } from '../isobmff/boxes.ts';
import { transportPackets } from '../mpegts/transport-packets.ts';

/** `head` is the beginning of the file, `moov` the index of an MP4. */
type File = { head: Buffer; moov: Buffer | undefined };

/** Throws JobError INPUT_ENCRYPTED for a file that declares its media as encrypted. */
export function rejectProtected(document: ProbeDocument, file: File): void {
  const { format, streams } = document;
  const isProtected =
    (file.moov !== undefined && hasProtectedEntry(file.moov)) ||
    (format.format_name === 'mpegts' && streams.some(hasSampleAes)) ||
    (format.format_name.startsWith('matroska') && encryptsBlocks(file.head)) ||
    (format.format_name === 'asf' && protectedAsf.some((id) => file.head.includes(id)));
  if (isProtected) throw encrypted();
}

export const encrypted = (): JobError =>
  new JobError(
    'INPUT_ENCRYPTED',
    'The file is encrypted (DRM) and cannot be decoded. Upload a copy without protection.',
  );

/** Sample entries of common encryption (ISO/IEC 23001-7) and FairPlay, which replace that of the codec. */
const protectedEntries = new Set(['encv', 'enca', 'drmi', 'drms']);

function hasProtectedEntry(moov: Buffer): boolean {
  try {
    return readBoxes(moov).some(
      ({ type, payload }) => type === 'trak' && sampleEntries(payload).some(isProtectedEntry),
    );
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Whether an MP4 has the box of a scheme of common encryption. ffmpeg 7 cannot read some encrypted files at all. Their
 * index is at the beginning when they are fragmented.
 */
export const declaresEncryption = (head: Buffer): boolean =>
  encryptionSchemes.some((scheme) => head.includes(Buffer.from(`schm\0\0\0\0${scheme}`, 'latin1')));
const encryptionSchemes = ['cenc', 'cens', 'cbc1', 'cbcs'];

const isProtectedEntry = ({ type }: { type: string }): boolean => protectedEntries.has(type);

/**
 * Stream types of H.264, AAC, AC-3 and E-AC-3 with encrypted samples (Apple's MPEG-2 Stream Encryption Format for HLS).
 */
const sampleAesTypes = new Set(['0x00db', '0x00cf', '0x00c1', '0x00c2']);
const hasSampleAes = ({ codec_tag = '' }: ProbeStream): boolean => sampleAesTypes.has(codec_tag);

const clusterId = Buffer.from('1f43b675', 'hex');
/** ContentEncodingType 1: encryption (RFC 9559, 5.1.4.1.31.5). */
const encryptionType = Buffer.from('50338101', 'hex');

function encryptsBlocks(head: Buffer): boolean {
  const firstCluster = head.indexOf(clusterId);
  return head.subarray(0, firstCluster === -1 ? head.length : firstCluster).includes(encryptionType);
}

/** GUIDs of the content encryption objects of ASF (sections 3.14 and 3.15) in file order of bytes. */
const protectedAsf = ['fbb3112223bd d211b4b7 00a0c955fc6e', '14e68a292226 174cb935 dae07ee9289c'].map((id) =>
  Buffer.from(id.replaceAll(' ', ''), 'hex'),
);

/** In a damaged file, some packets are marked by chance. */
const minScrambledShare = 0.2;

/**
 * Whether many packets of an MPEG-TS are marked as scrambled. Unused programmes may be, so this is only checked when
 * decoding fails.
 */
export function isScrambled(head: Buffer): boolean {
  const packets = [...transportPackets(head)];
  const scrambled = packets.filter((packet) => (packet[3]! & 0xc0) !== 0);
  return packets.length > 0 && scrambled.length >= packets.length * minScrambledShare;
}
