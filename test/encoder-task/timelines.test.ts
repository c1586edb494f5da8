import { describe, test } from 'vitest';
import { useStoreAndFolder } from './support/clips.ts';
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
