import { describe, expect, test } from 'vitest';
import { heardWords } from '../../../encoder-task/speech/heard-words.ts';

const window = { from: 10, to: 20, stretches: [{ from: 10, to: 12.5 }] };
const tokensOf = (texts: string[], stepMs = 150) =>
  texts.map((text, index) => ({ text, startMs: index * stepMs, endMs: (index + 1) * stepMs }));
const textsOf = (texts: string[]) => heardWords(tokensOf(texts), window).map(({ text }) => text);

test('tokens are joined to words with the times of the part, and punctuation belongs to the word before it', () => {
  expect(heardWords(tokensOf([' rail', 'way', ',', ' in', ' England', '.']), window)).toEqual([
    { text: ' railway,', startMs: 10_000, endMs: 10_300 },
    { text: ' in', startMs: 10_450, endMs: 10_600 },
    { text: ' England.', startMs: 10_600, endMs: 10_750 },
  ]);
});

test('a word that begins in the pause before its sound begins with the sound', () => {
  const two = {
    from: 10,
    to: 16,
    stretches: [
      { from: 10, to: 12 },
      { from: 14, to: 16 },
    ],
  };
  const tokens = [
    { text: ' Good', startMs: 0, endMs: 1500 },
    { text: ' morning', startMs: 1800, endMs: 4500 },
    { text: ' Today', startMs: 3000, endMs: 4800 },
  ];
  expect(heardWords(tokens, two).map(({ startMs }) => startMs)).toEqual([10_000, 11_800, 14_000]);
});

describe('what nobody says is left out', () => {
  test.each([
    ['remarks in brackets', [' [', 'Music', ']', ' Good', ' morning'], [' Good', ' morning']],
    ['remarks in parentheses', [' Yes', ' (', 'applause', ')'], [' Yes']],
    ['songs', [' ♪', ' la', ' la', ' ♪', ' Hello'], [' Hello']],
    ['control tokens', ['[_BEG_]', ' Hello', '[_TT_150]'], [' Hello']],
    ['empty tokens', ['', ' Hello'], [' Hello']],
  ])('%s', (_, texts, words) => expect(textsOf(texts)).toEqual(words));

  test('a bracket that is never closed is part of what is said', () => {
    expect(textsOf([' a', ' (b', ' c'])).toEqual([' a', ' (b', ' c']);
  });

  test('words of a pause', () => {
    const tokens = [{ text: ' you', startMs: 8000, endMs: 9000 }];
    expect(heardWords(tokens, window)).toEqual([]);
  });

  test.each([
    ['in English', [' Thanks', ' for', ' watching', '!']],
    ['in Japanese', [...'ご視聴ありがとうございました']],
  ])('thanks for watching as the whole of a window, %s', (_, texts) => expect(textsOf(texts)).toEqual([]));

  test('a few words of many seconds of sound', () => {
    const long = { from: 0, to: 28, stretches: [{ from: 0, to: 28 }] };
    expect(heardWords(tokensOf([' Thank', ' you', '.'], 900), long)).toEqual([]);
  });
});

test('of a phrase that the engine repeats without end one is left', () => {
  const loop = Array.from({ length: 40 }, () => [' I', ' know', '.']).flat();
  const long = { from: 0, to: 28, stretches: [{ from: 0, to: 2.5 }] };
  expect(heardWords(tokensOf([' So', ...loop], 20), long).map(({ text }) => text)).toEqual([' So', ' I', ' know.']);
});

test('what people say twice stays', () => {
  expect(textsOf([' no', ' no', ' no', ' never'])).toEqual([' no', ' no', ' no', ' never']);
});

test('languages without spaces have a word for each token', () => {
  expect(textsOf(['今日', 'は', '。'])).toEqual(['今日', 'は。']);
});
