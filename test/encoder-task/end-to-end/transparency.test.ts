import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sampled } from '../../fixtures/sampling/sampled.ts';
import { type Color, colorDistance, colorsAt } from '../support/clips/colors.ts';
import { makeClip, useStoreAndFolder } from '../support/clips.ts';
import { ffmpeg } from '../support/ffmpeg.ts';
import { joinTrack } from '../support/run-jobs.ts';
import { type Made, runPlan } from '../support/run-plan.ts';

const files = useStoreAndFolder();

const query = {
  version: 1,
  video: [{ name: 'v', codec: 'h264', height: 90, preset: 'ultrafast', crf: 10 }],
  outputs: [{ format: 'hls' }],
  thumbnails: { poster: { at: '0s', width: 160 }, sprite: { interval: 1, width: 160, columns: 1, rows: 1 } },
};

/** A red square on transparent green. */
const square = (pixelFormat: string): string[] => [
  ...['-f', 'lavfi', '-i'],
  `color=green@0:s=160x90:r=10:d=0.5,format=yuva444p,drawbox=x=40:y=20:w=80:h=50:color=red@1:t=fill:replace=1,format=${pixelFormat}`,
];
const realtime = ['-auto-alt-ref', '0', '-deadline', 'realtime', '-cpu-used', '8'];
const sources: [string, string, string, string[]][] = [
  ['Animation', 'a.mov', 'argb', ['-c:v', 'qtrle']],
  ['ProRes 4444', 'b.mov', 'yuva444p10le', ['-c:v', 'prores_ks', '-profile:v', '4444']],
  ['PNG in MOV', 'c.mov', 'rgba', ['-c:v', 'png']],
  ['VP8', 'd.webm', 'yuva420p', ['-c:v', 'libvpx', ...realtime]],
  ['VP9', 'e.webm', 'yuva420p', ['-c:v', 'libvpx-vp9', ...realtime]],
];

async function expectSquareOver(made: Made, background: Color): Promise<void> {
  const joined = files.path('joined.mp4');
  await joinTrack(files.store, made.video.get('v')!, joined);
  const images = ['poster.jpg', 'sprite-001.jpg'];
  for (const image of images) await writeFile(files.path(image), files.store.objects.get(image)!);
  for (const file of [joined, ...images.map(files.path)]) {
    const [corner, middle] = await colorsAt(file, [
      [0.05, 0.1],
      [0.5, 0.5],
    ]);
    expect(colorDistance(corner!, background), file).toBeLessThanOrEqual(6);
    expect(colorDistance(middle!, [255, 0, 0]), file).toBeLessThanOrEqual(6);
  }
}

const facts = (made: Made) => made.plan.decisions?.find(({ code }) => code === 'transparency_composited')?.facts;

test.each(sampled(sources, ['Animation', 'VP9']))(
  'transparent pixels of %s are black in the video and in its images',
  async (_, name, pixelFormat, codec) => {
    const source = files.path(name);
    await ffmpeg(...square(pixelFormat), ...codec, source);
    const made = await runPlan(files.store, source, query);
    expect(facts(made)).toEqual({ background: '#000000' });
    await expectSquareOver(made, [0, 0, 0]);
  },
);

test('a GIF is shown over the background of the template', async () => {
  const source = files.path('square.gif');
  const palette = 'split[a][b];[a]palettegen=reserve_transparent=1[p];[b][p]paletteuse=alpha_threshold=128';
  await ffmpeg(...square('rgba'), '-filter_complex', palette, source);
  const made = await runPlan(files.store, source, { ...query, scaling: { background: '#1A6BE0' } });
  expect(facts(made)).toEqual({ background: '#1A6BE0' });
  await expectSquareOver(made, [0x1a, 0x6b, 0xe0]);
});

test('a GIF whose pixels are opaque needs no decision', async () => {
  const { plan } = await runPlan(files.store, await makeClip(files.path('opaque.gif'), '10', 0.5), query);
  expect(plan.source?.transparency).toEqual({});
  expect(plan.decisions?.map(({ code }) => code)).toEqual(['color_assumed']);
});

test('the bars of a padded video have the background of the template', async () => {
  const source = await makeClip(files.path('wide.mp4'), '10', 0.5, '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
  const scaling = { fit: 'pad', background: '#1A6BE0' };
  const video = [{ ...query.video[0], width: 160, height: 160 }];
  const made = await runPlan(files.store, source, { ...query, scaling, video });
  const joined = files.path('joined.mp4');
  await joinTrack(files.store, made.video.get('v')!, joined);
  const [bar] = await colorsAt(joined, [[0.5, 0.1]]);
  expect(colorDistance(bar!, [0x1a, 0x6b, 0xe0])).toBeLessThanOrEqual(6);
});
