import { expect, test } from 'vitest';
import { hasWords, wordsOf } from '../../../functions/common/name-words.ts';

test.each([
  ['Holiday 2026.mp4', ['holiday', '2026', 'mp4']],
  ['IMG_1234-IMG#x', ['img', '1234', 'x']],
  ['Über Straße İstanbul', ['uber', 'straße', 'istanbul']],
  ['ｆｕｌｌ Ⅳ', ['full', 'iv']],
  ['नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
  ['🎉 - #', []],
])('the words of %j', (name, words) => {
  expect(wordsOf(name)).toEqual(words);
});

test('a name has at most 16 words of 64 characters', () => {
  expect(wordsOf(Array.from({ length: 17 }, (_, index) => `w${index}`).join(' '))).toHaveLength(16);
  expect(wordsOf('𐐀'.repeat(100))).toEqual(['𐐨'.repeat(64)]);
});

test('each word of a search begins a word of the name', () => {
  expect(hasWords('Summer holiday 2026', ['hol', 'sum'])).toBe(true);
  expect(hasWords('Summer holiday 2026', ['hol', '2027'])).toBe(false);
  expect(hasWords('Summer holiday 2026', ['oliday'])).toBe(false);
});
