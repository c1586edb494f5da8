import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, test } from 'vitest';
import { useStoreAndFolder } from './support/clips.ts';
import { editMovie, type MovieEdit } from './support/edit-movie.ts';
import { expectAsFfmpeg } from './support/expect-as-ffmpeg.ts';
import { ffmpeg } from './support/ffmpeg.ts';
import { beepingAudio, numberedVideo } from './support/numbered.ts';

const files = useStoreAndFolder();

const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-threads', '1'];

async function clip(name: string, ...args: string[]): Promise<string> {
  const file = files.path(name);
  await ffmpeg(...args, file);
  return file;
}

describe('an AVI whose index has empty entries for frames that repeat', () => {
  // a place of the index that holds no frame is what ffmpeg's muxer makes of a frame that is left out
  const sparse = [
    ...[...numberedVideo(6), ...beepingAudio(6), '-vf', "select='not(mod(n,6))+between(n,105,115)'"],
    ...['-fps_mode', 'passthrough', '-enc_time_base', '1:25'],
  ];
  test.concurrent.each([
    // the MPEG-4 encoder claims a delay of two frames, for which the muxer leaves two more places
    ['MPEG-4 and MP3', 'mpeg4.avi', ['-c:v', 'mpeg4', '-q:v', '3', '-g', '10', '-c:a', 'libmp3lame'], 147],
    ['H.264 and PCM', 'h264.avi', [...x264, '-bf', '0', '-g', '10', '-c:a', 'pcm_s16le'], 145],
  ])('of %s repeats them', async (_, name, args, frames) => {
    await expectAsFfmpeg(await clip(name, ...sparse, ...args), { frames });
  });
});

describe('an MP4 whose edit list', () => {
  let movie: Buffer;
  beforeAll(async () => {
    const groups = ['-g', '50', '-bf', '2', '-b_strategy', '0', '-sc_threshold', '0'];
    const file = await clip('whole.mp4', ...numberedVideo(8), ...beepingAudio(8), ...x264, ...groups, '-c:a', 'aac');
    movie = await readFile(file);
  });
  test.concurrent.each<[string, MovieEdit[]]>([
    ['begins late', [{ fromSeconds: 3, seconds: 5 }]],
    ['keeps only the beginning', [{ fromSeconds: 0, seconds: 4 }]],
    [
      'keeps two parts',
      [
        { fromSeconds: 0, seconds: 3 },
        { fromSeconds: 6, seconds: 2 },
      ],
    ],
    [
      'plays parts in another order',
      [
        { fromSeconds: 4, seconds: 4 },
        { fromSeconds: 0, seconds: 2 },
      ],
    ],
    [
      'repeats a part',
      [
        { fromSeconds: 2, seconds: 3 },
        { fromSeconds: 2, seconds: 3 },
      ],
    ],
    [
      'plays parts at other rates',
      [
        { fromSeconds: 0, seconds: 3, rate: 2 },
        { fromSeconds: 6, seconds: 2, rate: 0.5 },
      ],
    ],
    [
      'pauses first',
      [
        { fromSeconds: null, seconds: 1 },
        { fromSeconds: 2, seconds: 4 },
      ],
    ],
  ])('%s shows what is edited', async (name, edits) => {
    const file = files.path(`${name}.mp4`);
    await writeFile(file, editMovie(movie, edits));
    await expectAsFfmpeg(file);
  });

  test('pauses between two parts shows what ffmpeg does then: the beginning', async () => {
    const file = files.path('pause.mp4');
    const pause = { fromSeconds: null, seconds: 2 };
    await writeFile(file, editMovie(movie, [{ fromSeconds: 2, seconds: 3 }, pause, { fromSeconds: 4, seconds: 2 }]));
    await expectAsFfmpeg(file, { frames: 175 });
  });
});
