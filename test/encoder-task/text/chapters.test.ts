import { expect, test } from 'vitest';
import { readChapters } from '../../../encoder-task/text/chapters.ts';

test('chapters last until the next one, and have a name', () => {
  const chapters = [
    { start_time: '2.000000', end_time: '4.000000', tags: { title: 'The <end> &\nmore' } },
    { start_time: '0.000000', end_time: '1.000000' },
    { start_time: 'N/A', end_time: '1.000000' },
  ];
  expect(readChapters({ chapters })).toEqual([
    { startSeconds: 0, durationSeconds: 2, text: 'Chapter 1' },
    { startSeconds: 2, durationSeconds: 2, text: 'The &lt;end&gt; &amp; more' },
  ]);
});

test('a document without chapters has none', () => {
  expect(readChapters(undefined)).toEqual([]);
  expect(readChapters({ chapters: 'x' })).toEqual([]);
});
