import { walkFile } from './boxes.ts';

/** Bytes of a file; `start` is the position of the first one. */
export type FileBytes = { start: number; bytes: Buffer };

/** Reads bytes [start, end) of the file; undefined past its end. */
export type ReadBytes = (start: number, end: number) => Promise<{ bytes: Buffer } | undefined>;

/** An ISO base media file by its outermost boxes, without the media. */
export type MovieFile = {
  totalBytes: number;
  /** the payload of moov */
  moov: Buffer;
  /** movie fragments in file order; `bytes` includes the box header */
  fragments: FileBytes[];
  /** all bytes that were read */
  known: FileBytes[];
};

const fragmentReadBytes = 16 * 1024;
/** The moov box of a day of video has 100 MB. A larger one is invalid, or too large for the worker's memory. */
const maxMoovBytes = 128 * 2 ** 20;
const maxBoxes = 100_000;

/**
 * Reads the outermost boxes with small range reads that skip the media; `head` is the beginning of the file. Undefined
 * when the file is not ISOBMFF, has no moov box, or has so many fragments that it is cheaper to read the whole file.
 */
export async function readMovieFile(
  head: { bytes: Buffer; totalBytes: number },
  read: ReadBytes,
): Promise<MovieFile | undefined> {
  if (!looksLikeMovie(head.bytes)) return undefined;
  const { totalBytes } = head;
  const known: FileBytes[] = [{ start: 0, bytes: head.bytes }];
  const fragments: FileBytes[] = [];
  let moov: Buffer | undefined;
  let readSoFar = head.bytes.length;

  const bytesAt = async (start: number, end: number): Promise<Buffer> => {
    const stop = Math.min(end, totalBytes);
    const here = known.find((range) => range.start <= start && range.start + range.bytes.length >= stop);
    if (here) return here.bytes.subarray(start - here.start, stop - here.start);
    // a fragment is small, so one read usually covers its header and its content
    const readEnd = fragments.length > 0 ? Math.max(stop, start + fragmentReadBytes) : stop;
    const range = await read(start, Math.min(readEnd, totalBytes));
    if (!range) return Buffer.alloc(0);
    readSoFar += range.bytes.length;
    known.push({ start, bytes: range.bytes });
    return range.bytes.subarray(0, stop - start);
  };

  let boxes = 0;
  for await (const { type, start, size, headerBytes } of walkFile(bytesAt, totalBytes)) {
    boxes += 1;
    if (type === 'moov' || type === 'moof') {
      if (size > maxMoovBytes || start + size > totalBytes || (type === 'moov' && moov)) return undefined;
      const box = await bytesAt(start, start + size);
      if (type === 'moov') moov = box.subarray(headerBytes);
      else fragments.push({ start, bytes: box });
    }
    const isExpensive = fragments.length > 16 && readSoFar > (start + size) / 4;
    if (boxes > maxBoxes || isExpensive) return undefined;
  }
  if (!moov) return undefined;
  return { totalBytes, moov, fragments, known };
}

const firstTypes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot', 'styp']);

const looksLikeMovie = (bytes: Buffer): boolean => bytes.length >= 16 && firstTypes.has(bytes.toString('latin1', 4, 8));
