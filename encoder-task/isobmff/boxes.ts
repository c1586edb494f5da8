/** A box of an ISO base media file: its four-letter type and its payload without the header. */
export type Box = { type: string; payload: Buffer };
/** `size` includes the header. */
export type BoxHeader = { type: string; size: number; headerBytes: number };

/** A file with more sibling boxes was made to fill memory. */
const maxBoxes = 100_000;

/**
 * The header at the start of `bytes` (ISO/IEC 14496-12, 4.2). `remainingBytes` are left in the file or in the parent
 * box. Undefined when the header is cut off or its size is impossible.
 */
export function readBoxHeader(bytes: Buffer, remainingBytes: number): BoxHeader | undefined {
  if (bytes.length < 8) return undefined;
  const size32 = bytes.readUInt32BE(0);
  const headerBytes = size32 === 1 ? 16 : 8;
  if (bytes.length < headerBytes) return undefined;
  // size 0 means that the box extends to the end
  const size = size32 === 0 ? remainingBytes : size32 === 1 ? Number(bytes.readBigUInt64BE(8)) : size32;
  if (size < headerBytes || !Number.isSafeInteger(size)) return undefined;
  return { type: bytes.toString('latin1', 4, 8), size, headerBytes };
}

/** The consecutive boxes in `bytes`. Throws RangeError when one is cut off. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  let at = 0;
  while (at < bytes.length) {
    const header = readBoxHeader(bytes.subarray(at), bytes.length - at);
    if (!header) throw new RangeError(`a box header is cut off at byte ${at}`);
    const { type, size, headerBytes } = header;
    if (at + size > bytes.length) throw new RangeError(`box ${type} is cut off at byte ${at}`);
    boxes.push({ type, payload: bytes.subarray(at + headerBytes, at + size) });
    if (boxes.length > maxBoxes) throw new RangeError('too many boxes');
    at += size;
  }
  return boxes;
}

/** Reads bytes [start, end) of a file; fewer at its end. */
export type ReadAt = (start: number, end: number) => Promise<Buffer>;

/**
 * Headers of the outermost boxes of a file, without the media between them. Ends at the end of the file or at a header
 * that is cut off.
 */
export async function* walkFile(readAt: ReadAt, totalBytes: number): AsyncGenerator<BoxHeader & { start: number }> {
  for (let start = 0; start < totalBytes; ) {
    const header = readBoxHeader(await readAt(start, start + 16), totalBytes - start);
    if (!header) return;
    yield { ...header, start };
    start += header.size;
  }
}

/** The payload of the first box of each type along `path`, or undefined. */
export function findBox(bytes: Buffer, ...path: string[]): Buffer | undefined {
  let payload: Buffer | undefined = bytes;
  for (const type of path) {
    payload = readBoxes(payload).find((box) => box.type === type)?.payload;
    if (!payload) return undefined;
  }
  return payload;
}

/** Like `findBox`. Throws RangeError when there is no such box. */
export function needBox(bytes: Buffer, ...path: string[]): Buffer {
  const payload = findBox(bytes, ...path);
  if (!payload) throw new RangeError(`no ${path.join('/')} box`);
  return payload;
}

/** The sample descriptions of a trak box (ISO/IEC 14496-12, 8.5.2). */
export function sampleEntries(trak: Buffer): Box[] {
  const stsd = findBox(trak, 'mdia', 'minf', 'stbl', 'stsd');
  return stsd ? readBoxes(stsd.subarray(8)) : [];
}

/** Fields before the boxes of a visual sample entry (ISO/IEC 14496-12, 12.1.3). */
const visualFieldBytes = 78;

/** The boxes of a visual sample entry, without the four zero bytes that may follow them in QuickTime. */
export function visualEntryBoxes({ payload }: Box): Buffer {
  const boxes = payload.subarray(visualFieldBytes);
  let at = 0;
  while (at < boxes.length) {
    const header = readBoxHeader(boxes.subarray(at), boxes.length - at);
    if (!header) break;
    at += header.size;
  }
  const isTerminated = boxes.length - at === 4 && boxes.readUInt32BE(at) === 0;
  return isTerminated ? boxes.subarray(0, at) : boxes;
}
