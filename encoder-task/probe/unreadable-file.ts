import { JobError } from '../../shared/protocol/job-errors.ts';
import { failureOf } from '../ffmpeg/output/failure.ts';
import { transportPacketBytes } from '../mpegts/transport-packets.ts';
import type { Ended } from '../runtime/run-process.ts';
import { declaresEncryption, encrypted, isScrambled } from './protection.ts';

type File = { head: Buffer; totalBytes: number };

/** The error for a file whose headers ffprobe cannot read. `memoryBytes` was its memory limit. */
export function unreadableFile(ended: Ended, { head, totalBytes }: File, memoryBytes: number): JobError {
  if (isScrambled(head) || declaresEncryption(head)) return encrypted();
  // a file smaller than the memory limit can only exceed it with tables that declare too many entries, and a retry
  // would fail too
  if (outOfMemory.test(ended.stderrTail) && totalBytes < memoryBytes) return damagedFile();
  return failureOf(ended, { readsSource: true }, () => (isKnownContainer(head) ? damagedFile() : notMedia()));
}

export const notMedia = (): JobError =>
  new JobError(
    'INPUT_NOT_MEDIA',
    'The file is not video or audio in a supported format. Upload an MP4, MOV, MKV, WebM or another common format.',
  );

export const damagedFile = (): JobError =>
  new JobError(
    'INPUT_DAMAGED',
    'The file is damaged or incomplete and cannot be read. Export it again and upload the new file.',
  );

export const outOfMemory = /Cannot allocate memory|std::bad_alloc/;

/** First bytes of common containers. */
const signatures: [at: number, bytes: Buffer][] = [
  ...['ftyp', 'moov', 'mdat', 'wide'].map((type): [number, Buffer] => [4, Buffer.from(type)]),
  [0, Buffer.from('1a45dfa3', 'hex')], // Matroska and WebM
  [0, Buffer.from('3026b2758e66cf11', 'hex')], // ASF
  ...['AVI ', 'WAVE'].map((type): [number, Buffer] => [8, Buffer.from(type)]),
  ...['OggS', 'FLV\x01', 'fLaC', 'FORM', 'caff'].map((type): [number, Buffer] => [0, Buffer.from(type)]),
];

const isKnownContainer = (head: Buffer): boolean =>
  transportPacketBytes(head) !== undefined ||
  signatures.some(([at, bytes]) => head.subarray(at, at + bytes.length).equals(bytes));

/**
 * Throws JobError INPUT_NOT_MEDIA for a picture. Of those that consist of boxes, FFmpeg would make a video of one
 * frame, or it would call them damaged.
 */
export function rejectPicture(head: Buffer): void {
  const isBoxed = head.toString('latin1', 4, 8) === 'ftyp' && pictureBrands.has(head.toString('latin1', 8, 12));
  if (!isBoxed && !pictureSignatures.some((signature) => head.subarray(0, signature.length).equals(signature))) return;
  throw new JobError(
    'INPUT_NOT_MEDIA',
    'The file is a picture and not a video. Upload an MP4, MOV, MKV, WebM or another common format.',
  );
}

/** HEIF, AVIF and the raw format of Canon. Sequences of pictures have other brands (`avis`, `msf1`, `hevc`). */
const pictureBrands = new Set(['heic', 'heix', 'heim', 'heis', 'mif1', 'mif2', 'miaf', 'avif', 'crx ']);
/** JPEG, PNG, both orders of TIFF, and JPEG XL in boxes. */
const pictureSignatures = ['ffd8ff', '89504e470d0a1a0a', '49492a00', '4d4d002a', '0000000c4a584c20'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
