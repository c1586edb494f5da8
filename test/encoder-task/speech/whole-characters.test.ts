import { expect, test } from 'vitest';
import { withWholeCharacters } from '../../../encoder-task/speech/whole-characters.ts';

/** Tokens of some bytes each, as the engine divides text, ten milliseconds each. */
function tokensOf(text: string, ...lengths: number[]) {
  const bytes = Buffer.from(text);
  let at = 0;
  return lengths.map((length, index) => {
    const token = { text: bytes.subarray(at, at + length).toString(), startMs: 10 * index, endMs: 10 * index + 10 };
    at += length;
    return token;
  });
}
const shown = (tokens: { text: string; startMs: number; endMs: number }[]) =>
  tokens.map(({ text, startMs, endMs }) => `${text} ${startMs}-${endMs}`);

test('tokens that share a character become one, with the time of all of them', () => {
  const tokens = tokensOf('日本語', 3, 1, 2, 3);
  expect(tokens.map(({ text }) => text.includes('\ufffd'))).toEqual([false, true, true, false]);
  expect(shown(withWholeCharacters(tokens, '日本語'))).toEqual(['日 0-10', '本 10-30', '語 30-40']);
});

test('characters are whole at the start, at the end and next to each other', () => {
  expect(shown(withWholeCharacters(tokensOf('🎉🎉 a🎉', 2, 3, 3, 2, 2, 2), '🎉🎉 a🎉'))).toEqual([
    '🎉🎉 0-30',
    ' a 30-40',
    '🎉 40-60',
  ]);
});

test('whole tokens stay as they are', () => {
  const tokens = tokensOf(' Good morning', 5, 8);
  expect(withWholeCharacters(tokens, ' Good morning')).toEqual(tokens);
});

test('a character that is broken in the text too is left out', () => {
  const tokens = [
    { text: ' a', startMs: 0, endMs: 10 },
    { text: '\ufffd', startMs: 10, endMs: 20 },
  ];
  expect(withWholeCharacters(tokens, ' a\ufffd')).toEqual([tokens[0]]);
  expect(withWholeCharacters(tokens, '')).toEqual([tokens[0]]);
});
