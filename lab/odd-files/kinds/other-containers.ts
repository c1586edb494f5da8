import type { Random } from '../../faults/random.ts';
import { clipOf } from '../clips.ts';
import { flip, oddNumber } from '../numbers.ts';
import type { OddKind } from '../odd-kind.ts';

type Change = (bytes: Buffer, random: Random) => string;

const inFile = (name: string, files: string[], change: Change): OddKind => ({
  name,
  make(clips, random) {
    const file = random.pick(files);
    const bytes = clipOf(clips, file);
    return { bytes, how: `${file}: ${change(bytes, random)}` };
  },
});

function offsetsOf(bytes: Buffer, pattern: Buffer): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(pattern); at !== -1; at = bytes.indexOf(pattern, at + 1)) offsets.push(at);
  return offsets;
}

/** Writes odd bytes after a random occurrence of a marker. */
const behind =
  (marks: (string | Buffer)[], write: (bytes: Buffer, at: number, random: Random) => void): Change =>
  (bytes, random) => {
    const offsets = marks.flatMap((mark) => {
      const pattern = Buffer.from(mark as string, 'latin1');
      return offsetsOf(bytes, pattern).map((at) => at + pattern.length);
    });
    const at = random.pick(offsets);
    write(bytes, at, random);
    return `at ${at}`;
  };

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const littleNumber = (bytes: Buffer, at: number, random: Random): void =>
  void bytes.writeUInt32LE(oddNumber(random), Math.min(at, bytes.length - 4));

const matroska = ['clip.mkv', 'clip.webm'];
/** Segment, Tracks, TrackEntry, Cluster, Cues, SimpleBlock. */
const elements = ['18538067', '1654ae6b', 'ae', '1f43b675', '1c53bb6b', 'a3'].map(hex);
/** Timestamp scale, duration, track number, codec private, width, height, sampling rate, channels. */
const values = ['2ad7b1', '4489', 'd7', '63a2', 'b0', 'ba', 'b5', '9f'].map(hex);

export const otherContainerKinds: readonly OddKind[] = [
  inFile(
    'matroska: size of an element',
    matroska,
    behind(elements, (bytes, at, random) => {
      bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, 0x40, 0x10]);
    }),
  ),
  inFile(
    'matroska: value of an element',
    matroska,
    behind(values, (bytes, at, random) => flip(bytes, random, 3, at + 1, at + 9)),
  ),
  inFile(
    'matroska: times of clusters',
    matroska,
    behind([hex('e7')], (bytes, at, random) => flip(bytes, random, 2, at, at + 4)),
  ),
  inFile('matroska: header', matroska, (bytes, random) => {
    flip(bytes, random, random.between(1, 10), 0, 500);
    return 'header';
  }),
  inFile(
    'ogg: pages',
    ['clip.ogv', 'sound.opus'],
    behind(['OggS'], (bytes, at, random) => flip(bytes, random, 4, at, at + 24)),
  ),
  inFile('ogg: times', ['clip.ogv', 'sound.opus'], (bytes, random) => {
    for (const at of offsetsOf(bytes, Buffer.from('OggS')))
      if (random.share() < 0.5) flip(bytes, random, 3, at + 6, at + 14);
    return 'granule positions';
  }),
  inFile('wav: sizes of chunks', ['sound.wav'], behind(['RIFF', 'fmt ', 'data'], littleNumber)),
  inFile(
    'wav: format',
    ['sound.wav'],
    behind(['fmt \x10\0\0\0'], (bytes, at, random) => flip(bytes, random, 3, at, at + 16)),
  ),
  inFile(
    'avi: sizes of chunks',
    ['clip.avi'],
    behind(['RIFF', 'LIST', 'avih', 'strh', 'strf', 'idx1', '00dc'], littleNumber),
  ),
  inFile(
    'avi: headers',
    ['clip.avi'],
    behind(['avih', 'strh', 'strf'], (bytes, at, random) => flip(bytes, random, 3, at + 4, at + 44)),
  ),
  inFile(
    'avi: index',
    ['clip.avi'],
    behind(['idx1'], (bytes, at, random) => flip(bytes, random, 30, at + 4)),
  ),
  inFile('flv: tags', ['clip.flv'], (bytes, random) => {
    flip(bytes, random, random.between(1, 12), 9, 600);
    return 'first tags';
  }),
  inFile('asf: header', ['clip.asf'], (bytes, random) => {
    flip(bytes, random, random.between(1, 12), 16, 600);
    return 'header';
  }),
  inFile(
    'mpeg: packs',
    ['clip.mpg'],
    behind([hex('000001ba'), hex('000001e0')], (bytes, at, random) => flip(bytes, random, 5, at, at + 12)),
  ),
  inFile('gif: header', ['clip.gif'], (bytes, random) => {
    flip(bytes, random, 3, 6, 40);
    return 'header';
  }),
  inFile('flac and mp3: header', ['sound.flac', 'sound.mp3'], (bytes, random) => {
    flip(bytes, random, 4, 4, 60);
    return 'header';
  }),
];
