import { expect, test } from 'vitest';
import { rateControl } from '../../../../functions/planning/video/rate-control.ts';
import { templateQuerySchema } from '../../../../functions/templates/template-query.ts';

const rate = (settings: object, shrink = 1) => {
  const video = [{ name: 'v', codec: 'h264', ...settings }];
  return rateControl(templateQuerySchema.parse({ video, outputs: [{ format: 'mp4' }] }).video[0]!, shrink);
};

test('by default the maximum is 1.5 times and the buffer twice the bitrate', () => {
  expect(rate({ bitrate: '2M', two_pass: true })).toEqual({
    mode: 'bitrate',
    bitrateBps: 2_000_000,
    maxBitrateBps: 3_000_000,
    bufferBits: 4_000_000,
    twoPass: true,
  });
});

test('a given maximum and buffer are used, and a maximum below the bitrate lowers it', () => {
  expect(rate({ bitrate: '2M', max_bitrate: '2200k', buffer_size: '1M' })).toMatchObject({
    bitrateBps: 2_000_000,
    maxBitrateBps: 2_200_000,
    bufferBits: 1_000_000,
  });
  expect(rate({ bitrate: '2M', max_bitrate: '1M' })).toMatchObject({ bitrateBps: 1_000_000, maxBitrateBps: 1_000_000 });
});

test('constant quality has no maximum unless a bitrate is given', () => {
  expect(rate({ crf: 22 })).toEqual({ mode: 'crf', crf: 22, maxBitrateBps: null, bufferBits: null });
  expect(rate({ crf: 22, bitrate: '3M' })).toEqual({
    mode: 'crf',
    crf: 22,
    maxBitrateBps: 3_000_000,
    bufferBits: 6_000_000,
  });
  expect(rate({ crf: 22, max_bitrate: '3M' })).toMatchObject({ maxBitrateBps: 3_000_000, bufferBits: 6_000_000 });
});

test('bitrates are clamped to the range of the encoders', () => {
  expect(rate({ bitrate: '1' })).toMatchObject({ bitrateBps: 16_000 });
  expect(rate({ bitrate: '999999999M' })).toMatchObject({ bitrateBps: 400_000_000 });
});
