import { expect, test } from 'vitest';
import { renditionRange } from '../../../shared/media/video-range.ts';

test.each([
  ['smpte2084', 'yuv420p10le', 'PQ'],
  ['arib-std-b67', 'yuv420p10le', 'HLG'],
  ['smpte2084', 'yuv420p', 'SDR'],
  ['arib-std-b67', 'yuv420p', 'SDR'],
  ['bt709', 'yuv420p10le', 'SDR'],
  [null, 'yuv420p', 'SDR'],
] as const)('%s in %s is %s', (colorTransfer, pixelFormat, range) => {
  expect(renditionRange({ colorTransfer }, { pixelFormat })).toBe(range);
});
