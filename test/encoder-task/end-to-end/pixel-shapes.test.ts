import { expect, test } from 'vitest';
import type { VideoCodec } from '../../../shared/media/codecs.ts';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg, firstFrameOf, streamsOf } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

const ratio = (text: unknown): number => {
  const [num, den] = String(text).split(':').map(Number);
  return num! / den!;
};

const shapes: [string, [number, number], VideoCodec, { width?: number; height?: number }][] = [
  ['a banner', [1200, 16], 'h264', { width: 1100 }],
  ['a strip that is scaled down to two lines', [1200, 10], 'h264', { width: 256 }],
  ['a column', [10, 900], 'vp9', { width: 250 }],
  ['odd and small', [37, 13], 'h264', {}],
  ['too low for HEVC', [320, 6], 'hevc', {}],
  ['too low for AV1', [320, 30], 'av1', {}],
];
const sample = ['a strip that is scaled down to two lines', 'a column', 'too low for HEVC'];

test.each(sampled(shapes, sample))('%s keeps its aspect ratio: %j by %s', async (_, [width, height], codec, box) => {
  const source = files.path('source.mkv');
  const picture = `testsrc=s=${width}x${height}:r=10:d=0.3`;
  await ffmpeg('-f', 'lavfi', '-i', picture, '-c:v', 'ffv1', '-pix_fmt', 'bgr0', source);
  const query = { video: [{ name: 'v', codec, crf: 30, preset: 'superfast', ...box }], outputs: [{ format: 'hls' }] };
  const { video } = await runPlan(files.store, source, query);
  const made = files.path('made.mp4');
  await joinTrack(files.store, video.get('v')!, made);
  const [stream] = await streamsOf(made);
  const shown = ratio(stream?.display_aspect_ratio);
  expect(Math.abs(shown / (width / height) - 1)).toBeLessThan(0.0101);
  // VP9 and AV1 have the pixel aspect ratio in the container only
  if (codec === 'vp9' || codec === 'av1') return;
  const { frames } = (await firstFrameOf(made)) as { frames: { sample_aspect_ratio?: string }[] };
  expect(ratio(frames[0]?.sample_aspect_ratio ?? '1:1')).toBeCloseTo(ratio(stream?.sample_aspect_ratio), 3);
});
