import { expect, test } from 'vitest';
import {
  countParts,
  type HeardPart,
  joinHeard,
  partsToDetect,
  rangeOfPart,
  spokenLanguage,
} from '../../../../functions/planning/speech/speech-parts.ts';
import type { Word } from '../../../../shared/protocol/jobs.ts';

const tenHours = 36_000;

test('ten hours are parts of about five minutes that cover everything and overlap', () => {
  const ranges = Array.from({ length: countParts(tenHours) }, (_, index) => rangeOfPart(index, tenHours));
  expect(ranges).toHaveLength(120);
  expect(ranges[0]).toEqual({ fromSeconds: 0, toSeconds: 305 });
  expect(ranges.at(-1)!.toSeconds).toBe(tenHours);
  for (const [index, { fromSeconds }] of ranges.slice(1).entries()) {
    expect(fromSeconds).toBe(ranges[index]!.toSeconds - 10);
  }
});

test('the language is detected in at most three parts', () => {
  expect(partsToDetect(1)).toEqual([0]);
  expect(partsToDetect(2)).toEqual([0, 1]);
  expect(partsToDetect(120)).toEqual([0, 60, 90]);
});

const word = (text: string, startMs: number): Word => ({ text, startMs, endMs: startMs + 300 });
const part = (index: number, words: Word[], language: string | null = 'de'): HeardPart => ({ index, language, words });

test('the language in which most is said is that of the captions', () => {
  const parts = [
    part(0, [word(' hello', 0)], 'en'),
    part(60, [word(' eins', 0), word(' zwei', 400)]),
    part(90, [], null),
  ];
  expect(spokenLanguage(parts)).toBe('de');
  expect(spokenLanguage([part(0, [], null)])).toBeUndefined();
});

test('what two parts have heard of the same words is there once, divided at the longest pause', () => {
  const [a, b, c, d] = [296_000, 298_000, 299_000, 303_500] as const;
  const first = part(0, [word(' a', a), word(' b', b), word(' c', c), word(' d', d)]);
  const second = part(1, [
    word(' half', 295_000),
    word(' b', b + 40),
    word(' c', c - 30),
    word(' d', d),
    word(' e', 310_000),
  ]);
  expect(joinHeard([second, first]).map(({ text }) => text)).toEqual([' a', ' b', ' c', ' d', ' e']);
});

test('a part in which nobody speaks leaves the words of the others as they are', () => {
  const joined = joinHeard([part(0, [word(' a', 1000)]), part(1, []), part(2, [word(' b', 700_000)])]);
  expect(joined.map(({ text }) => text)).toEqual([' a', ' b']);
});

test('ten hours of speech have every word once', () => {
  const seconds = 36_000;
  const spoken = Array.from({ length: seconds * 2 }, (_, index) => ({
    text: ` w${index}`,
    startMs: index * 500,
    endMs: index * 500 + 400,
  }));
  const parts = Array.from({ length: countParts(seconds) }, (_, index) => {
    const { fromSeconds, toSeconds } = rangeOfPart(index, seconds);
    return { index, language: 'de', words: spoken.slice(fromSeconds * 2, toSeconds * 2) };
  });
  expect(parts).toHaveLength(120);
  expect(joinHeard(parts)).toEqual(spoken);
});
