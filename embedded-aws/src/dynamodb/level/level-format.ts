import { DamagedData } from '../../durable/damaged-data.ts';
import { crc } from '../../s3/protocol/crc.ts';

// https://github.com/google/leveldb/blob/main/doc/log_format.md and table_format.md

const logBlockBytes = 32_768;
/** Disks write whole ones. */
const sectorBytes = 512;
const headerBytes = 7;
const [full, first, middle, last] = [1, 2, 3, 4];

/**
 * The records of a log or manifest. A record that ends with the file is one that was being written, and so is one that
 * ends among sectors of zeros: after a power failure, some file systems have them in place of the last ones.
 * @throws DamagedData
 */
export function recordsOf(log: Buffer, path: string): Buffer[] {
  const records: Buffer[] = [];
  let pieces: Buffer[] | undefined;
  const damaged = (): never => {
    throw new DamagedData(path, 'is damaged.');
  };
  const writtenBytes = log.findLastIndex((byte) => byte !== 0) + 1;
  for (let at = 0; at < log.length; ) {
    const left = logBlockBytes - (at % logBlockBytes);
    if (left < headerBytes) {
      if (log.subarray(at, at + left).some((byte) => byte !== 0)) damaged();
      at += left;
      continue;
    }
    if (at + headerBytes > log.length) break;
    const length = log.readUInt16LE(at + 4);
    const type = log[at + 6]!;
    if (at + headerBytes > writtenBytes) break;
    if (type < full! || type > last! || headerBytes + length > left) damaged();
    const end = at + headerBytes + length;
    if (end > log.length) break;
    if (log.readUInt32LE(at) !== masked(log.subarray(at + 6, end))) {
      if (end > Math.ceil(writtenBytes / sectorBytes) * sectorBytes) break;
      damaged();
    }
    const isBeginning = type === full || type === first;
    if (isBeginning !== (pieces === undefined)) damaged();
    pieces = [...(pieces ?? []), log.subarray(at + headerBytes, end)];
    if (type === full || type === last) {
      records.push(Buffer.concat(pieces));
      pieces = undefined;
    } else if (type !== first && type !== middle) damaged();
    at = end;
  }
  return records;
}

/** The tables that the edits of a manifest leave, and the number of the oldest log that is not in them. */
export function liveFiles(edits: readonly Buffer[], path: string) {
  const tables = new Map<number, { number: number; bytes: number }>();
  let logNumber = 0;
  for (const edit of edits) {
    const reader = readerOf(edit, path);
    const added: { number: number; bytes: number }[] = [];
    while (!reader.isAtEnd()) {
      const tag = reader.number();
      if (tag === 1) reader.text();
      else if (tag === 2) logNumber = reader.number();
      else if (tag === 3 || tag === 4 || tag === 9) reader.number();
      else if (tag === 5) {
        reader.number();
        reader.text();
      } else if (tag === 6) {
        reader.number();
        tables.delete(reader.number());
      } else if (tag === 7) {
        reader.number();
        added.push({ number: reader.number(), bytes: reader.number() });
        reader.text();
        reader.text();
      } else throw new DamagedData(path, 'is damaged.');
    }
    // A table that moves to another level is deleted and added by one edit.
    for (const table of added) tables.set(table.number, table);
  }
  if (edits.length === 0) throw new DamagedData(path, 'is damaged.');
  return { tables: [...tables.values()], logNumber };
}

const footerBytes = 48;
const magic = Buffer.from('57fb808b247547db', 'hex');
/** A byte for the compression, and the checksum. */
const trailerBytes = 5;

/** All blocks of a table with their trailers. @throws DamagedData when they cannot be found */
export function blocksOfTable(table: Buffer, path: string): Buffer[] {
  const damaged = new DamagedData(path, 'is damaged.');
  const footer = table.subarray(-footerBytes);
  if (table.length < footerBytes || !footer.subarray(-8).equals(magic)) throw damaged;
  const blockAt = (reader: Reader): Buffer => {
    const [offset, bytes] = [reader.number(), reader.number()];
    if (offset + bytes + trailerBytes > table.length) throw damaged;
    return table.subarray(offset, offset + bytes + trailerBytes);
  };
  const reader = readerOf(footer, path);
  const [metaIndex, index] = [blockAt(reader), blockAt(reader)];
  // Only a block with the right checksum can be read safely.
  if (![metaIndex, index].every(isIntact)) throw damaged;
  const listed = [metaIndex, index].flatMap((block) => valuesOf(contentOf(block, path), path));
  return listed.map((handle) => blockAt(readerOf(handle, path)));
}

/** Whether a block has its checksum. */
export const isIntact = (block: Buffer): boolean =>
  block.readUInt32LE(block.length - 4) === masked(block.subarray(0, -4));

/** LevelDB stores checksums like this, because a log may contain others. */
function masked(content: Buffer): number {
  const sum = crc('crc32c');
  sum.update(content);
  const value = sum.digest().readUInt32BE();
  return (((value >>> 15) | (value << 17)) + 0xa282ead8) >>> 0;
}

/** The values of a block of keys and values. */
function valuesOf(block: Buffer, path: string): Buffer[] {
  const restarts = block.readUInt32LE(block.length - 4);
  const reader = readerOf(block.subarray(0, block.length - 4 - 4 * restarts), path);
  const values: Buffer[] = [];
  while (!reader.isAtEnd()) {
    reader.number();
    const [keyBytes, valueBytes] = [reader.number(), reader.number()];
    reader.bytes(keyBytes);
    values.push(reader.bytes(valueBytes));
  }
  return values;
}

function contentOf(block: Buffer, path: string): Buffer {
  const content = block.subarray(0, -trailerBytes);
  return block[block.length - trailerBytes] === 1 ? uncompressed(content, path) : content;
}

/** https://github.com/google/snappy/blob/main/format_description.txt */
function uncompressed(content: Buffer, path: string): Buffer {
  const reader = readerOf(content, path);
  const output = Buffer.alloc(reader.number());
  let at = 0;
  const copy = (distance: number, length: number): void => {
    for (let end = at + length; at < end; at += 1) output[at] = output[at - distance]!;
  };
  while (!reader.isAtEnd()) {
    const [tag = 0] = reader.bytes(1);
    const high = tag >> 2;
    if ((tag & 3) === 0) {
      const length = 1 + (high < 60 ? high : reader.bytes(high - 59).readUIntLE(0, high - 59));
      at += reader.bytes(length).copy(output, at);
    } else if ((tag & 3) === 1) copy(((tag >> 5) << 8) | reader.bytes(1)[0]!, 4 + (high & 7));
    else if ((tag & 3) === 2) copy(reader.bytes(2).readUInt16LE(), 1 + high);
    else copy(reader.bytes(4).readUInt32LE(), 1 + high);
  }
  return output;
}

type Reader = ReturnType<typeof readerOf>;

function readerOf(buffer: Buffer, path: string) {
  let at = 0;
  const bytes = (length: number): Buffer => {
    if (at + length > buffer.length) throw new DamagedData(path, 'is damaged.');
    at += length;
    return buffer.subarray(at - length, at);
  };
  /** A number of seven bits in each byte. */
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const [byte = 0] = bytes(1);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  return { bytes, number, text: () => bytes(number()), isAtEnd: () => at >= buffer.length };
}
