import { ffmpeg } from '../ffmpeg.ts';
import { beepingAudio, numberedVideo } from './numbered.ts';

/** A template for these sources: every kind of output, several chunks of a few segments. */
export const lengthsQuery = {
  video: [{ name: 'v', codec: 'h264', width: 160, crf: 24, preset: 'ultrafast', gop: 1 }],
  audio: [{ name: 'a', codec: 'aac', sample_rate: 48_000 }],
  chunk_duration: 4,
  outputs: [
    ...['hls', 'dash'].map((format) => ({ format, segment_duration: 2 })),
    { format: 'hls', name: 'ts', container: 'ts', segment_duration: 2 },
    { format: 'mp4' },
  ],
  thumbnails: { poster: { at: '100%' }, sprite: { interval: 1 } },
};

export type LengthCase = {
  file: string;
  video: string[];
  audio: string[];
  /** of the presentation */
  seconds: number;
  fps?: number;
  /** the number on the picture that is shown at a time */
  shownAt: (seconds: number) => number;
  beeps: number[];
};

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p'];
/** The number on a picture of 25 fps that starts at a time and has so many frames. */
const even =
  (startSeconds: number, frames: number) =>
  (seconds: number): number =>
    Math.max(0, Math.min(frames - 1, Math.floor((seconds - startSeconds) * 25 + 0.001)));

/** Sources whose tracks differ in length. */
export const lengthCases: [string, LengthCase][] = [
  [
    'sound that ends early',
    {
      file: 'short-sound.mp4',
      video: numberedVideo(10),
      audio: beepingAudio(3),
      seconds: 10,
      shownAt: even(0, 250),
      beeps: [1.5],
    },
  ],
  [
    'pictures that end early',
    {
      file: 'short-pictures.mp4',
      video: numberedVideo(3),
      audio: beepingAudio(14.5),
      seconds: 14.5,
      shownAt: even(0, 75),
      beeps: [1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 13.5],
    },
  ],
  [
    'sound that starts late',
    {
      file: 'late-sound.mkv',
      video: numberedVideo(6),
      audio: ['-itsoffset', '3', ...beepingAudio(4)],
      seconds: 7,
      shownAt: even(0, 150),
      beeps: [4.5, 6.5],
    },
  ],
  [
    'pictures that start late',
    {
      file: 'late-pictures.mp4',
      video: ['-itsoffset', '6.5', ...numberedVideo(3)],
      audio: beepingAudio(14),
      seconds: 14,
      shownAt: even(6.5, 75),
      beeps: [1.5, 3.5, 5.5, 7.5, 9.5, 11.5, 13.5],
    },
  ],
  [
    'pictures that start late in a transport stream',
    {
      file: 'late-pictures.ts',
      video: ['-itsoffset', '5', ...numberedVideo(4)],
      audio: beepingAudio(9),
      seconds: 9,
      shownAt: even(5, 100),
      beeps: [1.5, 3.5, 5.5, 7.5],
    },
  ],
  [
    'pictures of a variable rate that end early',
    {
      file: 'variable.mkv',
      // frames 0, 1, 2, 10, 11, 12, 20 and so on
      video: [...numberedVideo(3), ...['-vf', "select='lt(mod(n,10),3)'", '-fps_mode', 'passthrough']],
      audio: beepingAudio(13),
      seconds: 13,
      shownAt: (seconds) => {
        const frame = even(0, 73)(seconds);
        return frame - Math.max(0, (frame % 10) - 2);
      },
      beeps: [1.5, 3.5, 5.5, 7.5, 9.5, 11.5],
    },
  ],
  [
    'one picture with sound',
    {
      file: 'cover.mp4',
      video: numberedVideo(1 / 25, { first: 5 }),
      audio: beepingAudio(9.4),
      seconds: 9.4,
      fps: 1,
      shownAt: () => 5,
      beeps: [1.5, 3.5, 5.5, 7.5],
    },
  ],
];

/** Writes the source of a case. */
export async function writeLengthCase(
  { video, audio }: Pick<LengthCase, 'video' | 'audio'>,
  file: string,
): Promise<void> {
  await ffmpeg(...audio, ...video, '-map', '1:v', '-map', '0:a', '-c:a', 'aac', ...x264, file);
}
