import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { toneMapFilters } from '../../../encoder-task/ffmpeg/color.ts';
import type { VideoSource } from '../../../shared/protocol/encode-spec.ts';

const hlg: VideoSource = {
  streamIndex: 0,
  formatName: 'mov,mp4',
  timeBase: { num: 1, den: 25 },
  displayWidth: 64,
  displayHeight: 8,
  interlaced: false,
  bitDepth: 10,
  hdr10: null,
  colorPrimaries: 'bt2020',
  colorTransfer: 'arib-std-b67',
  colorSpace: 'bt2020nc',
  colorRange: 'tv',
};

/** A ramp from black to a colour, given by its values in HLG, after tone mapping: 64 pixels in RGB. */
async function toneMapped([r, g, b]: [number, number, number]): Promise<number[][]> {
  const level = (share: number) => `'1023*${share}*X/63'`;
  const filters = [
    `geq=r=${level(r)}:g=${level(g)}:b=${level(b)},setparams=colorspace=gbr`,
    'scale=out_color_matrix=bt2020:out_range=tv,format=yuv444p10le',
    'setparams=color_trc=arib-std-b67:color_primaries=bt2020:colorspace=bt2020nc:range=tv',
    ...toneMapFilters(hlg),
    'format=yuv444p,scale=in_color_matrix=bt709:flags=accurate_rnd,format=rgb24',
  ];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', 'color=black:s=64x8:r=1:d=1,format=gbrp10le'],
      ...['-vf', filters.join(','), '-f', 'rawvideo', '-'],
    ],
    { encoding: 'buffer' },
  );
  return Array.from({ length: 64 }, (_, x) => [...stdout.subarray(x * 3, x * 3 + 3)]);
}

const tint = (color: number[]): number => Math.max(...color) - Math.min(...color);

test('grey of HLG stays grey', async () => {
  expect(Math.max(...(await toneMapped([1, 1, 1])).map(tint))).toBeLessThanOrEqual(2);
});

test('a bright sky in HLG that is nearly white has no tint', async () => {
  expect(tint((await toneMapped([1, 0.99, 0.95])).at(-1)!)).toBeLessThanOrEqual(12);
});

test('a saturated colour in HLG stays saturated', async () => {
  const [r, g, b] = (await toneMapped([0.6, 0.1, 0.1])).at(-1)!;
  expect([r! > 120, g! < 40, b! < 40]).toEqual([true, true, true]);
});
