import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readFrameSize } from '../../../encoder-task/h264/sequence-parameters.ts';
import { readTransportStream } from '../../../encoder-task/mpegts/transport-stream.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';

const files = useStoreAndFolder();

test.each<[what: string, width: number, height: number, args: string[]]>([
  ['with whole macroblocks', 320, 176, []],
  ['with cropping', 162, 90, []],
  ['without the high profile', 214, 120, ['-profile:v', 'baseline']],
  ['with interlacing', 192, 108, ['-flags', '+ilme+ildct']],
  ['in 4:2:2', 66, 50, ['-pix_fmt', 'yuv422p']],
  ['in 4:4:4', 67, 51, ['-pix_fmt', 'yuv444p']],
  ['in grey', 66, 50, ['-pix_fmt', 'gray']],
  ['with scaling lists', 98, 58, ['-x264-params', 'cqm=jvt']],
  ['with the maximum width', 8192, 16, []],
])('a video %s is %i × %i', async (_, width, height, args) => {
  const file = files.path('size.ts');
  await ffmpeg(
    ...['-f', 'lavfi', '-i', `testsrc=s=${width}x${height}:r=25:d=0.2`, '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-pix_fmt', 'yuv420p', ...args, file],
  );
  expect(readTransportStream(await readFile(file)).video?.size).toEqual({
    width,
    height,
    sampleAspectRatio: { num: 1, den: 1 },
  });
});

test.each<[string, number, number]>([
  ['from the table', 16, 11],
  ['explicit', 187, 10],
])('the sample aspect ratio, %s, is %i:%i', async (_, num, den) => {
  const file = files.path('shape.ts');
  const source = ['-f', 'lavfi', '-i', `testsrc=s=64x32:r=25:d=0.2,setsar=${num}/${den}:max=1000`];
  await ffmpeg(...source, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', file);
  const size = { width: 64, height: 32, sampleAspectRatio: { num, den } };
  expect(readTransportStream(await readFile(file)).video?.size).toEqual(size);
});

test('a parameter set that is cut off throws', () => {
  expect(() => readFrameSize(Buffer.from('6764001fac', 'hex'))).toThrow(RangeError);
  expect(() => readFrameSize(Buffer.from('67', 'hex'))).toThrow(RangeError);
});
