import { expect, test } from 'vitest';
import { repeatedSegments } from '../../../shared/protocol/repeated-segments.ts';

const still = { mode: 'passthrough', gopFrames: 2, segmentFrames: 6 } as const;
const tenMinutes = { startFrame: 0, endFrame: 601, pictures: 1 };

test('of a picture that is shown for ten minutes, three segments are encoded, and the others are copies', () => {
  expect(repeatedSegments(still, tenMinutes)).toBe(101 - 3);
  expect(repeatedSegments(still, { startFrame: 600, endFrame: 1201, pictures: 0 })).toBe(101 - 3);
  expect(repeatedSegments({ ...still, mode: 'grid' }, { ...tenMinutes, pictures: 0 })).toBe(101 - 3);
});

test.each([
  ['only three', { endFrame: 18 }],
  ['pictures after the first segment', { pictures: 7 }],
  ['a late picture', { heldBefore: 6 }],
  ['a picture in each frame', { pictures: 601 }],
])('a chunk has no copies of segments with %s', (_, chunk) => {
  expect(repeatedSegments(still, { ...tenMinutes, ...chunk })).toBe(0);
});

test('the times of frames on a grid are not known, so a picture may be anywhere', () => {
  expect(repeatedSegments({ ...still, mode: 'grid' }, tenMinutes)).toBe(0);
});

test('an odd number of key frames in a row is not copied', () => {
  expect(repeatedSegments({ ...still, gopFrames: 1 }, tenMinutes)).toBe(98);
  expect(repeatedSegments({ ...still, gopFrames: 1, segmentFrames: 5 }, tenMinutes)).toBe(0);
});
