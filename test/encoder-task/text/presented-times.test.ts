import { expect, test } from 'vitest';
import { presentedTimes } from '../../../encoder-task/text/presented-times.ts';

const edit = (mediaSeconds: number | null, seconds: number) => ({
  mediaTime: mediaSeconds === null ? -1 : mediaSeconds * 1000,
  segmentDuration: seconds * 1000,
});
const times = (edits: ReturnType<typeof edit>[], startSeconds: number, durationSeconds: number | null = 2) =>
  presentedTimes({ edits, timescale: 1000 }, { startSeconds, durationSeconds });

test('without edits, presentation and media are the same', () => {
  expect(times([], 5)).toEqual([{ startSeconds: 5, durationSeconds: 2 }]);
});

test('an edit that starts within a text shows the rest of it', () => {
  expect(times([edit(6, 10)], 5)).toEqual([{ startSeconds: 0, durationSeconds: 1 }]);
  expect(times([edit(6, 10)], 15, null)).toEqual([{ startSeconds: 9, durationSeconds: 1 }]);
  expect(times([edit(6, 10)], 2)).toEqual([]);
});

test('empty edits delay, and later edits follow', () => {
  const edits = [edit(null, 1), edit(4, 3), edit(0, 0)];
  expect(times(edits, 1)).toEqual([{ startSeconds: 5, durationSeconds: 2 }]);
  expect(times(edits, 5)).toEqual([
    { startSeconds: 2, durationSeconds: 2 },
    { startSeconds: 9, durationSeconds: 2 },
  ]);
});
