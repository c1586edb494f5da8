import { expect, test } from 'vitest';
import { codecLevel } from '../../../functions/packaging/codec-level.ts';

test.each([
  ['avc1.64001f', '3.1'],
  ['avc1.42c01e', '3.0'],
  ['avc1.640033', '5.1'],
  ['hvc1.1.6.L93.B0', '3.1'],
  ['hvc1.2.4.H153.90', '5.1'],
  ['av01.0.05M.08', '3.1'],
  ['av01.0.13M.10', '5.1'],
  ['vp09.00.31.08', '3.1'],
  ['vp09.00.00.08', undefined],
  ['mp4a.40.2', undefined],
  ['opus', undefined],
  ['avc1', undefined],
])('%s has level %s', (codecs, level) => {
  expect(codecLevel(codecs)).toBe(level);
});
