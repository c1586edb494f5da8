/** Bytes of a file; `start` is the position of the first one. */
export type FileBytes = { start: number; bytes: Buffer };

/** Reads bytes [start, end) of the file; undefined past its end. */
export type ReadBytes = (start: number, end: number) => Promise<{ bytes: Buffer } | undefined>;

/** An ISO base media file by its outermost boxes: where the media lies, and the boxes that say what it is. */
export type MovieFile = {
  totalBytes: number;
  /** the payload of moov */
  moov: Buffer;
  /** movie fragments in file order, `bytes` with their header */
  fragments: FileBytes[];
  known: FileBytes[];
};

const fragmentLookBytes = 16 * 1024;
/** Of a day of video it is 100 MB. A larger one is a lie, or more than a worker should hold. */
const maxMoovBytes = 128 * 2 ** 20;
const maxBoxes = 100_000;

/**
 * Walks the outermost boxes by small range reads, over the media and not through it; `head` is the file's beginning. Undefined for what is no such file, lacks its moov, or takes so
 * many looks that reading it through is cheaper.
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
  let spentBytes = head.bytes.length;

  const bytesAt = async (start: number, end: number, atLeast: number): Promise<Buffer> => {
    const stop = Math.min(end, totalBytes);
    const here = known.find((range) => range.start <= start && range.start + range.bytes.length >= stop);
    if (here) return here.bytes.subarray(start - here.start, stop - here.start);
    const range = await read(start, Math.min(Math.max(stop, start + atLeast), totalBytes));
    if (!range) return Buffer.alloc(0);
    spentBytes += range.bytes.length;
    known.push({ start, bytes: range.bytes });
    return range.bytes.subarray(0, stop - start);
  };

  let at = 0;
  for (let boxes = 0; at + 8 <= totalBytes; boxes++) {
    if (boxes > maxBoxes || (fragments.length > 16 && spentBytes > at / 4)) return undefined;
    const box = headerOf(await bytesAt(at, at + 16, fragments.length > 0 ? fragmentLookBytes : 16), totalBytes - at);
    if (!box) break;
    const { type, bytes } = box;
    if (type === 'moov' || type === 'moof') {
      if (bytes > maxMoovBytes || at + bytes > totalBytes || (type === 'moov' && moov)) return undefined;
      const whole = await bytesAt(at, at + bytes, 0);
      if (type === 'moov') moov = whole.subarray(box.headerBytes);
      else fragments.push({ start: at, bytes: whole });
    }
    at += bytes;
  }
  if (!moov) return undefined;
  return { totalBytes, moov, fragments, known };
}

const firstTypes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot', 'styp']);

const looksLikeMovie = (bytes: Buffer): boolean => bytes.length >= 16 && firstTypes.has(bytes.toString('latin1', 4, 8));

function headerOf(bytes: Buffer, left: number): { type: string; bytes: number; headerBytes: number } | undefined {
  if (bytes.length < 8) return undefined;
  const short = bytes.readUInt32BE(0);
  const headerBytes = short === 1 ? 16 : 8;
  if (bytes.length < headerBytes) return undefined;
  const size = short === 0 ? left : short === 1 ? Number(bytes.readBigUInt64BE(8)) : short;
  // an mdat may claim more than is there of a file that was cut off
  if (size < headerBytes || !Number.isSafeInteger(size)) return undefined;
  return { type: bytes.toString('latin1', 4, 8), bytes: size, headerBytes };
}
