import type { Random } from '../../faults/random.ts';
import { type Clips, clipOf } from '../clips.ts';
import { type BoxPosition, boxesOf } from '../iso-boxes.ts';
import { flip, oddNumber } from '../numbers.ts';
import type { OddKind } from '../odd-kind.ts';

const movies = ['clip.mp4', 'fast.mp4', 'fragments.mp4', 'plain.mov', 'sound.m4a'];

type Change = (bytes: Buffer, box: BoxPosition, random: Random) => string;

/** Changes a random box of these types in a random movie that has one. */
const inBox = (name: string, types: string[], change: Change): OddKind => ({
  name: `mp4: ${name}`,
  make(clips: Clips, random: Random) {
    const choices = movies
      .map((movie) => ({ movie, bytes: clipOf(clips, movie) }))
      .map(({ movie, bytes }) => ({ movie, bytes, boxes: boxesOf(bytes).filter(({ type }) => types.includes(type)) }))
      .filter(({ boxes }) => boxes.length > 0);
    const { movie, bytes, boxes } = random.pick(choices);
    const box = random.pick(boxes);
    return { bytes, how: `${movie}, ${box.type}: ${change(bytes, box, random)}` };
  },
});

/** Writes an odd number `offset` bytes into the box. */
const number =
  (...offsets: number[]): Change =>
  (bytes, { payload, end }, random) => {
    const at = Math.min(payload + random.pick(offsets), end - 4);
    const value = oddNumber(random);
    bytes.writeUInt32BE(value, at);
    return `${value} at ${at - payload}`;
  };

const tables = ['stts', 'ctts', 'stss', 'stsc', 'stco'];
const everything = [
  'ftyp',
  'moov',
  'mvhd',
  'trak',
  'tkhd',
  'mdia',
  'mdhd',
  'minf',
  'stbl',
  'stsd',
  'stts',
  'stsz',
  'stco',
];

export const movieKinds: readonly OddKind[] = [
  inBox('size of a box', [...everything, 'mdat', 'moof'], (bytes, { at }, random) => {
    const size = oddNumber(random);
    bytes.writeUInt32BE(size, at);
    return `size ${size}`;
  }),
  inBox('count of a table', tables, number(4)),
  inBox('count of sizes', ['stsz'], number(4, 8)),
  inBox('durations', ['stts'], number(8, 12)),
  inBox('composition offsets', ['ctts'], number(8, 12, 16, 20)),
  inBox('chunk offsets', ['stco'], number(8, 12, 16)),
  inBox('runs of chunks', ['stsc'], number(8, 12, 16)),
  inBox('timescale', ['mvhd', 'mdhd'], number(12)),
  inBox('duration', ['mvhd', 'mdhd', 'tkhd'], number(16, 20)),
  inBox('matrix', ['tkhd'], (bytes, { payload }, random) => {
    const values = Array.from({ length: 9 }, () => random.pick([0, 0, 0x10000, 0xffff0000, oddNumber(random)]));
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, payload + 40 + 4 * index);
    return values.join();
  }),
  inBox('edit list', ['elst'], number(4, 8, 12, 16)),
  inBox('frame size', ['stsd'], (bytes, { payload, end }, random) => {
    const [width, height] = [random.pick([0, 1, 3, 16_384, 65_535]), random.pick([0, 1, 3, 16_384, 65_535])];
    if (payload + 44 <= end) bytes.writeUInt16BE(width, payload + 40);
    if (payload + 46 <= end) bytes.writeUInt16BE(height, payload + 42);
    return `${width} × ${height}`;
  }),
  inBox('codec', ['stsd'], (bytes, { payload }, random) => {
    const name = random.pick([
      'encv',
      'enca',
      'drmi',
      'vvc1',
      'hvc1',
      'av01',
      'vp09',
      'mp4v',
      'iamf',
      'text',
      '\0\0\0\0',
    ]);
    bytes.write(name, payload + 12, 'latin1');
    return name;
  }),
  inBox('decoder configuration', ['stsd'], (bytes, { payload, end }, random) => {
    flip(bytes, random, 6, payload + 90, end);
    return 'six bytes';
  }),
  inBox('type of a box', everything, (bytes, { at }, random) => {
    const type = random.pick(['free', 'moov', 'trak', 'cmov', '\xff\xff\xff\xff', 'uuid', 'mdat']);
    bytes.write(type, at + 4, 'latin1');
    return `is ${type}`;
  }),
  inBox('fragment', ['moof', 'traf'], (bytes, { payload, end }, random) => {
    flip(bytes, random, 4, payload, end);
    return 'four bytes';
  }),
  inBox('index', ['moov'], (bytes, { payload, end }, random) => {
    flip(bytes, random, random.between(1, 20), payload, end);
    return 'some bytes';
  }),
  inBox('media', ['mdat'], (bytes, { payload, end }, random) => {
    flip(bytes, random, Math.ceil((end - payload) / random.pick([1000, 50, 3])), payload, end);
    return 'many bytes';
  }),
];
