import { expect, test } from 'vitest';
import { colorDecisions, sourceColor } from '../../../../functions/planning/video/source-color.ts';
import type { VideoTrack } from '../../../../shared/protocol/probe-result.ts';
import { videoTrack } from '../source-fixture.ts';

const untagged = { colorPrimaries: null, colorTransfer: null, colorSpace: null };
const track = (changes: Partial<VideoTrack>): VideoTrack => videoTrack({ frameCount: 100, ...changes });
const colorOf = (changes: Partial<VideoTrack>): string =>
  Object.values(sourceColor(track({ ...untagged, ...changes }))).join(' ');

const film = { num: 24, den: 1 };
const pal = { num: 25, den: 1 };
const ntsc = { num: 30_000, den: 1001 };

test.each<[string, Partial<VideoTrack>, string]>([
  ['720 lines are BT.709', { width: 960, height: 720 }, 'bt709 bt709 bt709'],
  ['a wide film in HD is BT.709', { width: 1280, height: 534 }, 'bt709 bt709 bt709'],
  ['an upright recording of a phone is BT.709', { width: 720, height: 1280 }, 'bt709 bt709 bt709'],
  [
    '576 lines of television are BT.601',
    { width: 720, height: 576, averageFrameRate: pal },
    'bt470bg smpte170m bt470bg',
  ],
  [
    '480 lines of television are BT.601',
    { width: 720, height: 480, averageFrameRate: ntsc },
    'smpte170m smpte170m smpte170m',
  ],
  ['a small film is BT.601', { width: 640, height: 360, averageFrameRate: film }, 'smpte170m smpte170m smpte170m'],
  ['RGB of any size is BT.709', { width: 320, height: 180, pixelFormat: 'bgra' }, 'bt709 bt709 gbr'],
  ['a palette is RGB', { width: 1920, height: 1080, pixelFormat: 'pal8' }, 'bt709 bt709 gbr'],
  ['planar RGB with alpha is RGB', { pixelFormat: 'gbrap10le' }, 'bt709 bt709 gbr'],
  [
    'the matrix of RGB is ignored for YUV',
    { width: 320, height: 180, colorSpace: 'gbr' },
    'smpte170m smpte170m smpte170m',
  ],
  ['Motion JPEG has the primaries of BT.709', { codec: 'mjpeg', colorSpace: 'bt470bg' }, 'bt709 iec61966-2-1 bt470bg'],
])('without tags, %s', (_, changes, expected) => {
  expect(colorOf(changes)).toBe(expected);
});

test.each<[string, Partial<VideoTrack>, string]>([
  ['a matrix implies primaries, whatever the size', { colorSpace: 'smpte170m' }, 'smpte170m smpte170m smpte170m'],
  ['primaries imply the matrix', { height: 180, width: 320, colorPrimaries: 'bt709' }, 'bt709 bt709 bt709'],
  ['BT.2020 without PQ or HLG is SDR', { colorPrimaries: 'bt2020' }, 'bt2020 bt2020-10 bt2020nc'],
  ['Display P3 has the matrix of BT.709', { colorPrimaries: 'smpte432' }, 'smpte432 bt709 bt709'],
  ['PQ implies BT.2020', { colorTransfer: 'smpte2084' }, 'bt2020 smpte2084 bt2020nc'],
  [
    'HLG in RGB keeps its primaries',
    { colorTransfer: 'arib-std-b67', pixelFormat: 'gbrp10le' },
    'bt2020 arib-std-b67 gbr',
  ],
  ['a tag is never changed', { colorTransfer: 'linear', colorSpace: 'ycgco' }, 'bt709 linear ycgco'],
])('%s', (_, changes, expected) => {
  expect(colorOf(changes)).toBe(expected);
});

test('only what is missing is a decision', () => {
  expect(colorDecisions(track({}))).toEqual([]);
  expect(colorDecisions(track({ colorPrimaries: null }))).toEqual([
    {
      code: 'color_assumed',
      message: 'The file does not say all about its colours. Assumed: primaries bt709.',
      facts: { primaries: 'bt709' },
    },
  ]);
  expect(colorDecisions(track(untagged))[0]?.facts).toEqual({
    primaries: 'bt709',
    transfer: 'bt709',
    matrix: 'bt709',
  });
  expect(colorDecisions(track({ ...untagged, pixelFormat: 'rgb24' }))[0]?.facts).toEqual({
    primaries: 'bt709',
    transfer: 'bt709',
  });
});
