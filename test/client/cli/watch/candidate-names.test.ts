import { expect, test } from 'vitest';
import { isCandidate, readExtensions, videoExtensions } from '../../../../client/cli/watch/candidate-names.ts';

test.each([
  ['a.mp4', true],
  ['A.MOV', true],
  ['a.b.mkv', true],
  ['notes.txt', false],
  ['mp4', false],
  ['.a.mp4', false],
  ['.mp4', false],
  ['~a.mp4', false],
  ['a.mp4~', false],
  ['a.mp4.part', false],
  ['a.mp4.crdownload', false],
  ['a.mp4.tmp', false],
])('%s is uploaded: %s', (name, expected) => {
  expect(isCandidate(name, videoExtensions)).toBe(expected);
});

test('extensions are chosen with or without dots; * stands for all, but not for temporary names', () => {
  expect(readExtensions(['.RAW', '*.mxf', 'y4m'])).toEqual(['raw', 'mxf', 'y4m']);
  expect(isCandidate('notes', readExtensions(['*']))).toBe(true);
  expect(isCandidate('a.part', readExtensions(['*']))).toBe(false);
});
