/** A box of an ISO base media file: its four-letter type and its payload without the header. */
export type Box = { type: string; payload: Buffer };

/** More boxes beside each other are made to fill memory. */
const maxBoxes = 100_000;

/** The boxes that lie one after another in `bytes`. A box that says it is longer than what is there throws: the file was cut off. */
export function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 8 > bytes.length) throw new RangeError(`a box header is cut off at byte ${at}`);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const short = bytes.readUInt32BE(at);
    const headerBytes = short === 1 ? 16 : 8;
    // size 0 means "to the end of the file"
    const size = short === 0 ? bytes.length - at : short === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : short;
    if (size < headerBytes || at + size > bytes.length) throw new RangeError(`box ${type} is cut off at byte ${at}`);
    boxes.push({ type, payload: bytes.subarray(at + headerBytes, at + size) });
    if (boxes.length > maxBoxes) throw new RangeError('more boxes than can be taken');
    at += size;
  }
  return boxes;
}

/** The first box of each type along `path`, or undefined. */
export function findBox(bytes: Buffer, ...path: string[]): Buffer | undefined {
  let payload: Buffer | undefined = bytes;
  for (const type of path) {
    payload = readBoxes(payload).find((box) => box.type === type)?.payload;
    if (!payload) return undefined;
  }
  return payload;
}

/** As `findBox`, for a box that must be there. */
export function needBox(bytes: Buffer, ...path: string[]): Buffer {
  const payload = findBox(bytes, ...path);
  if (!payload) throw new RangeError(`no ${path.join('/')} box`);
  return payload;
}
