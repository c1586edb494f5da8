import { expect, test } from 'vitest';
import { mediaConvertDollars } from '../../../tools/cost/media-convert.ts';
import { workloads } from '../../../tools/cost/workloads.ts';

test('MediaConvert bills each rendition by its size, and only AVC is compared', () => {
  const workload = { ...workloads[0]!, heights: [1080, 480] };
  expect(mediaConvertDollars(workload, 2)).toBeCloseTo(2 * (0.015 + 0.0075), 12);
  expect(mediaConvertDollars({ ...workload, heights: [2160] }, 1)).toBe(0.03);
  expect(mediaConvertDollars({ ...workload, codec: 'av1' }, 1)).toBeNull();
});
