import { readFile, writeFile } from 'node:fs/promises';
import { type Movie, parseMovie } from '../../../../encoder-task/isobmff/movie.ts';
import { readMovieFile } from '../../../../encoder-task/isobmff/movie-file.ts';
import { moviePackets } from '../../../../encoder-task/probe/movie-packets.ts';
import type { Range } from '../../../../encoder-task/transfer/read-range.ts';

export type Read = (start: number, end: number) => Promise<Range | undefined>;

/** Range reads of a file, with a count of the bytes that were read. */
export function ranged(bytes: Buffer): { read: Read; readBytes: () => number } {
  let readBytes = 0;
  const read: Read = async (start, end) => {
    if (start >= bytes.length) return undefined;
    const part = bytes.subarray(start, end);
    readBytes += part.length;
    return { bytes: part, totalBytes: bytes.length };
  };
  return { read, readBytes: () => readBytes };
}

export async function readMovie(read: Read): Promise<Movie | undefined> {
  const head = await read(0, 64 * 1024);
  const file = head && (await readMovieFile(head, read));
  return file && parseMovie(file);
}

/** Packets of each stream, one line each: time, key, hidden, size and position. */
export function packetLines(movie: Movie): Record<number, string[]> {
  const streams = movie.tracks.map(({ kind }, index) => ({ kind, index })).filter(({ kind }) => kind !== 'other');
  return Object.fromEntries(
    streams.map(({ index }) => [
      index,
      Array.from(moviePackets(movie.tracks[index]!, index, movie.file.totalBytes), (packet) =>
        [
          packet.pts,
          packet.isKey ? 'K' : '_',
          packet.isPresented ? '_' : 'D',
          packet.bytes,
          packet.endByte - packet.bytes,
        ].join(' '),
      ),
    ]),
  );
}

/** A box of an ISO base media file. Numbers are written in 32 bits. */
export function box(type: string, ...content: (Buffer | number | string)[]): Buffer {
  const payload = Buffer.concat(content.map(bytesOf));
  return Buffer.concat([bytesOf(payload.length + 8), Buffer.from(type, 'latin1'), payload]);
}

function bytesOf(content: Buffer | number | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content, 'latin1');
  if (typeof content !== 'number') return content;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(content >>> 0);
  return bytes;
}

export type Tables = Partial<Record<'stts' | 'ctts' | 'stss' | 'stsc' | 'stsz' | 'stco', number[]>>;

/**
 * An H.264 movie with three samples of ten bytes and one tick each, at 25 ticks per second. `tables` replace boxes,
 * starting with version and flags.
 */
export function smallMovie(
  tables: Tables = {},
  more: { elst?: Buffer; mediaBytes?: number; dref?: Buffer; entries?: number; inEntry?: Buffer } = {},
): Buffer {
  const ftyp = box('ftyp', 'isom', 0x200, 'isom');
  const mdat = box('mdat', Buffer.alloc(more.mediaBytes ?? 30));
  const entries = Array.from({ length: more.entries ?? 1 }, () =>
    box('avc1', Buffer.alloc(78), more.inEntry ?? Buffer.alloc(0)),
  );
  const stsd = box('stsd', 0, entries.length, ...entries);
  const all: Required<Omit<Tables, 'ctts'>> & Tables = {
    stts: [0, 1, 3, 1],
    stss: [0, 1, 1],
    stsc: [0, 1, 1, 3, 1],
    stsz: [0, 0, 3, 10, 10, 10],
    stco: [0, 1, ftyp.length + 8],
    ...tables,
  };
  const stbl = box(
    'stbl',
    stsd,
    ...Object.entries(all).map(([type, numbers]) => box(type, Buffer.concat(numbers.map(bytesOf)))),
  );
  const mdia = box(
    'mdia',
    box('mdhd', 0, 0, 0, 25, 3, 0),
    box('hdlr', 0, 0, 'vide', Buffer.alloc(13)),
    box('minf', box('dinf', box('dref', 0, 1, more.dref ?? box('url ', 1))), stbl),
  );
  const edts = more.elst ? [box('edts', more.elst)] : [];
  const trak = box('trak', box('tkhd', Buffer.alloc(12), 1, Buffer.alloc(68)), ...edts, mdia);
  return Buffer.concat([ftyp, mdat, box('moov', box('mvhd', 0, 0, 0, 25, 3, Buffer.alloc(80)), trak)]);
}

/** Fills the matrix of every track with zeros, which some broken muxers write. */
export function zeroMatrices(file: Buffer): void {
  for (const at of matrices(file)) file.fill(0, at, at + matrixBytes);
}

export async function changeFile(path: string, change: (bytes: Buffer) => void): Promise<void> {
  const bytes = await readFile(path);
  change(bytes);
  await writeFile(path, bytes);
}

/** Players show the video turned clockwise. ffmpeg 5 and later versions have different options for it. */
export function turnVideo(file: Buffer, degrees: 90 | 180 | 270): void {
  const quarter = { 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0] }[degrees];
  for (const at of matrices(file)) {
    const isVideo = file.readUInt32BE(at + matrixBytes) > 0;
    // a, b and c, d of the matrix, in 16.16 fixed point
    for (const [index, value] of quarter.entries()) {
      const field = index < 2 ? index : index + 1;
      if (isVideo) file.writeInt32BE(value * 0x1_0000, at + 4 * field);
    }
  }
}

const matrixBytes = 36;

/** The position of the display matrix of each track. The width of the track follows it. */
function* matrices(file: Buffer): Generator<number> {
  for (let at = file.indexOf('tkhd', 0, 'latin1'); at !== -1; at = file.indexOf('tkhd', at + 4, 'latin1')) {
    // version and flags, then times, id and duration in 32 or 64 bits, then layer, group and volume
    yield at + 8 + (file[at + 4] === 1 ? 32 : 20) + 16;
  }
}
