import { expect, test } from 'vitest';
import { fitsBuffer } from '../../../../../functions/planning/video/copy/buffer-model.ts';

/** 1000 bits arrive for each frame. */
const model = { bitsPerSecond: 25_000, bufferBits: 8000 };

test.each<[string, number[], boolean]>([
  ['frames at the rate', Array(100).fill(125), true],
  ['a key frame as large as the buffer', [1000, ...Array(50).fill(100)], true],
  ['a key frame above the buffer', [1001], false],
  ['frames above the rate until the buffer is empty', Array(60).fill(250), false],
  ['a short time above the rate', [...Array(7).fill(250), ...Array(50).fill(100)], true],
])('%s: %#', (_, frameBytes, fits) => {
  expect(fitsBuffer(frameBytes, 25, model)).toBe(fits);
});
