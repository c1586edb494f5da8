import { expect, test } from 'vitest';
import { copiedSegmentFrames } from '../../../../../functions/planning/video/copy/copied-segments.ts';

const frameCount = 3000;
const every = (gop: number) => Array.from({ length: Math.ceil(frameCount / gop) }, (_, n) => n * gop);
/** 6 s in GOPs of 2 s at 25 frames per second */
const asked = { frameCount, segmentFrames: 150, gopFrames: 50 };

test.each<[string, number[], number | undefined]>([
  ['GOPs of a second', every(25), 150],
  ['GOPs of the template', every(50), 150],
  ['GOPs of a segment', every(150), 150],
  ['4 s: the shorter of two that are equally near', every(100), 100],
  ['8 s', every(200), 200],
  ['frames that are all key frames', every(1), 150],
  ['more key frames at scene cuts', [...every(50), 77, 1234].sort((a, b) => a - b), 150],
  ['10 s: too long', every(250), undefined],
  ['5 s: not whole GOPs of the other rungs', every(125), undefined],
  ['a single key frame', [0], undefined],
  ['a missing key frame', every(50).filter((frame) => frame !== 1500 && frame !== 1450 && frame !== 1400), undefined],
  ['none', [], undefined],
])('a source with key frames at %s has segments of %s frames', (_, starts, expected) => {
  expect(copiedSegmentFrames({ ...asked, starts })).toBe(expected);
});

test('a video within its first segment needs one key frame', () => {
  expect(copiedSegmentFrames({ ...asked, frameCount: 70, starts: [0] })).toBe(150);
});
