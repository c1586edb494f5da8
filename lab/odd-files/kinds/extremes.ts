import { clipOf } from '../clips.ts';
import type { OddKind } from '../odd-kind.ts';

/** Complete files at the limits of formats. */
const files = [
  'low.mp4',
  'narrow.webm',
  'wide.mp4',
  'tall.mkv',
  'tiny.mkv',
  'too-large.mkv',
  'quick.mp4',
  'slow.mkv',
  'far.mp4',
  'one-frame.mp4',
  'one-sample.wav',
  'many-channels.wav',
  'high-rate.wav',
  'low-rate.wav',
  'many-tracks.mkv',
];

const whole = files.map(
  (file): OddKind => ({ name: `extreme: ${file}`, make: (clips) => ({ bytes: clipOf(clips, file), how: file }) }),
);

export const extremeKinds: readonly OddKind[] = [
  ...whole,
  {
    name: 'extreme: days of silence',
    make(clips, random) {
      const bytes = clipOf(clips, 'sound.m4a');
      const ticks = random.pick([2 ** 31, 2 ** 32 - 480_001, 22_050 * 3600]);
      bytes.writeUInt32BE(ticks, bytes.indexOf('stts', 0, 'latin1') + 16);
      return { bytes, how: `${ticks} ticks per packet` };
    },
  },
];
