import { gzipSync } from 'node:zlib';
import type { Random } from '../../faults/random.ts';
import { type Clips, clipOf } from '../clips.ts';
import type { OddKind } from '../odd-kind.ts';

const text = (content: string) => (): Buffer => Buffer.from(content);
const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n';

const makers: Record<string, (clips: Clips, random: Random) => Buffer> = {
  text: text('Dear sir or madam,\n'.repeat(300)),
  'a page': text('<!doctype html><html><body><video src="a.mp4"></video></body></html>'),
  JSON: text(JSON.stringify({ tracks: Array(500).fill('video') })),
  'a playlist': text(playlist),
  'a concat playlist': text("ffconcat version 1.0\nfile '/etc/passwd'\n"),
  SVG: text('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
  subtitles: text('1\n00:00:00,000 --> 00:00:05,000\nHello\n'),
  'a compressed video': (clips) => gzipSync(clipOf(clips, 'clip.mp4')),
  'a program': text(`\x7fELF\x02\x01\x01${'\0'.repeat(4000)}`),
  'a PNG': (clips) => clipOf(clips, 'picture.png'),
  'a JPEG': (clips) => clipOf(clips, 'picture.jpg'),
  'a WebP': (clips) => clipOf(clips, 'picture.webp'),
  'a HEIF image': () => Buffer.concat([Buffer.from('\0\0\0\x14ftypheic\0\0\0\0mif1', 'latin1'), Buffer.alloc(500)]),
  'a byte': text('x'),
  zeros: () => Buffer.alloc(100_000),
  noise: (_, random) => Buffer.from(Array.from({ length: 50_000 }, () => random.between(0, 255))),
  'a single box': () => Buffer.from('\0\0\0\x08moov', 'latin1'),
  'a Matroska header': () => Buffer.from('1a45dfa3', 'hex'),
  'a WAV without samples': (clips) => clipOf(clips, 'sound.wav').subarray(0, 44),
};

export const notMediaKinds: readonly OddKind[] = Object.entries(makers).map(([name, make]) => ({
  name: `no media: ${name}`,
  make: (clips, random) => ({ bytes: make(clips, random), how: name }),
}));
