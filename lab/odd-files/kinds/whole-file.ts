import type { Random } from '../../faults/random.ts';
import { type Clips, clipOf } from '../clips.ts';
import { flip } from '../numbers.ts';
import type { OddKind } from '../odd-kind.ts';

const media = [
  'clip.mp4',
  'fast.mp4',
  'fragments.mp4',
  'plain.mov',
  'clip.mkv',
  'clip.webm',
  'clip.ts',
  'clip.mpg',
  'clip.avi',
  'clip.ogv',
  'clip.flv',
  'clip.asf',
  'sound.wav',
  'sound.mp3',
  'sound.opus',
  'sound.flac',
];

const ofClip = (name: string, change: (bytes: Buffer, random: Random, clips: Clips) => Buffer): OddKind => ({
  name: `file: ${name}`,
  make(clips, random) {
    const file = random.pick(media);
    return { bytes: change(clipOf(clips, file), random, clips), how: file };
  },
});

const zip = Buffer.from('504b03040a00000000000000000000000000000000000000000001000000610a', 'hex');

export const wholeFileKinds: readonly OddKind[] = [
  ofClip('cut off', (bytes, random) => bytes.subarray(0, random.between(1, bytes.length - 1))),
  ofClip('cut off in its first bytes', (bytes, random) => bytes.subarray(0, random.between(1, 200))),
  ofClip('without its beginning', (bytes, random) => bytes.subarray(random.between(1, bytes.length - 1))),
  ofClip('bytes changed anywhere', (bytes, random) => {
    flip(bytes, random, Math.ceil(bytes.length / random.pick([2000, 200, 20])));
    return bytes;
  }),
  ofClip('zeros in its middle', (bytes, random) => {
    const start = random.between(0, bytes.length - 1);
    return bytes.fill(0, start, Math.min(bytes.length, start + random.between(1, bytes.length / 2)));
  }),
  ofClip('twice', (bytes) => Buffer.concat([bytes, bytes])),
  ofClip('before another', (bytes, random, clips) => Buffer.concat([bytes, clipOf(clips, random.pick(media))])),
  ofClip('behind an archive', (bytes) => Buffer.concat([zip, bytes])),
  ofClip('before an archive', (bytes) => Buffer.concat([bytes, zip])),
  ofClip('behind a page', (bytes) => Buffer.concat([Buffer.from('<!doctype html><script>alert(1)</script>'), bytes])),
  ofClip('behind zeros', (bytes, random) => Buffer.concat([Buffer.alloc(random.pick([1, 512, 70_000])), bytes])),
];
