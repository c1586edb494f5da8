import { expect, test } from 'vitest';
import { levelDecisions, planRungs } from '../../../../functions/planning/video/rungs.ts';
import type { Fit } from '../../../../functions/planning/video/scale.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';

const box = (name: string, width?: number, height?: number, more: object = {}) => ({
  name,
  codec: 'h264',
  bitrate: '4000k',
  ...(width ? { width } : {}),
  ...(height ? { height } : {}),
  ...more,
});

function rungs(video: object[], width: number, height: number, fit: Fit = 'contain') {
  const query = templateQuerySchema.parse({ video, outputs: [{ format: 'hls' }] });
  return planRungs(query.video, fit, { display: { width, height }, frameRate: { num: 60, den: 1 } });
}

const shown = (...args: Parameters<typeof rungs>) =>
  rungs(...args).map(({ rung }) => `${rung.name} ${rung.width}x${rung.height}`);

test('rungs are sorted largest first', () => {
  const video = [box('s', 640, 360), box('l', 1920, 1080), box('m', 1280, 720)];
  expect(shown(video, 1920, 1080)).toEqual(['l 1920x1080', 'm 1280x720', 's 640x360']);
});

test('entries that a small source makes equal become one rung, from the smallest box', () => {
  const video = [box('v2160', 3840, 2160), box('v1080', 1920, 1080), box('v720', 1280, 720), box('v480', 854, 480)];
  const planned = rungs(video, 1280, 720);
  expect(planned.map(({ rung, duplicates }) => [rung.name, duplicates])).toEqual([
    ['v720', ['v1080', 'v2160']],
    ['v480', []],
  ]);
  expect(planned[0]?.rung.rate).toMatchObject({ bitrateBps: 4_000_000 });
});

test('entries with the same box are all kept', () => {
  const video = [box('low', 1280, 720, { bitrate: '1500k' }), box('high', 1280, 720), box('top', 1920, 1080)];
  const planned = rungs(video, 1280, 720);
  expect(planned.map(({ rung, duplicates }) => [rung.name, duplicates])).toEqual([
    ['high', ['top']],
    ['low', []],
  ]);
});

test('entries of another codec, frame rate or GOP are not duplicates', () => {
  const video = [
    box('a', 1920, 1080),
    box('b', 1280, 720, { codec: 'hevc' }),
    box('c', 1280, 720, { fps: 30 }),
    box('d', 1280, 720, { gop: 2 }),
  ];
  expect(shown(video, 1280, 720)).toEqual(['b 1280x720', 'c 1280x720', 'd 1280x720']);
});

test('a rung reduced by its source gets a bitrate scaled by pixels to the power 0.75, at least 100k', () => {
  const rate = (bitrate: string) => rungs([box('v', 1920, 1080, { bitrate })], 640, 360)[0]!.rung.rate;
  // (1/9) ^ 0.75 = 0.19245
  expect(rate('5000k')).toEqual({
    mode: 'bitrate',
    bitrateBps: 962_250,
    maxBitrateBps: 1_443_375,
    bufferBits: 1_924_500,
    twoPass: false,
  });
  expect(rate('300k')).toMatchObject({ bitrateBps: 100_000 });
  expect(rate('80k')).toMatchObject({ bitrateBps: 80_000 });
});

test('a rung with one side keeps the aspect ratio, one without sides the size', () => {
  expect(shown([box('w', 1280), box('h', undefined, 360), box('n')], 1920, 1080)).toEqual([
    'n 1920x1080',
    'w 1280x720',
    'h 640x360',
  ]);
  expect(shown([box('w', 1280)], 1080, 1920)).toEqual(['w 720x1280']);
});

test('a rung with one side above the source is reduced to the source', () => {
  expect(rungs([box('w', 1280)], 640, 360)[0]?.rung).toMatchObject({
    width: 640,
    height: 360,
    // (1/4) ^ 0.75 = 0.35355
    rate: { bitrateBps: 1_414_214 },
  });
  expect(rungs([box('n')], 640, 360)[0]?.rung.rate).toMatchObject({ bitrateBps: 4_000_000 });
});

test('a level that is too low for the frames is raised, which is a decision', () => {
  const video = [box('v1080', 1920, 1080, { level: '3.1' }), box('v360', 640, 360, { level: '3.1' })];
  expect(levelDecisions(rungs(video, 1920, 1080))).toEqual([
    {
      code: 'level_raised',
      message: 'Rung v1080 has level 4.2 instead of 3.1: 1920 × 1080 at 60 frames per second do not fit that level.',
      facts: { stream: 'v1080', level: '4.2', asked: '3.1' },
    },
  ]);
});
