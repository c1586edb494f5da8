import fc from 'fast-check';
import { expect, test } from 'vitest';
import { speechCues } from '../../../../functions/planning/speech/speech-cues.ts';
import type { Word } from '../../../../shared/protocol/jobs.ts';

/** Words of a text that is spoken at an even pace. */
const spoken = (text: string, { startMs = 0, wordMs = 350 } = {}): Word[] =>
  text.split(' ').map((word, index) => ({
    text: index === 0 ? word : ` ${word}`,
    startMs: startMs + index * wordMs,
    endMs: startMs + (index + 1) * wordMs - 50,
  }));

test('a sentence is a cue of at most two lines, which are about as long as each other', () => {
  expect(speechCues(spoken('Today we are going to talk about the history of the railway.'))).toEqual([
    { startMs: 0, endMs: 4450, settings: '', text: 'Today we are going to talk about\nthe history of the railway.' },
  ]);
});

test('sentences are cues of their own, unless one is so short that it would flicker', () => {
  const cues = speechCues(
    spoken('Good morning. This is a longer sentence for you. And here we have another sentence.'),
  );
  expect(cues.map(({ text }) => text.replaceAll('\n', ' '))).toEqual([
    'Good morning. This is a longer sentence for you.',
    'And here we have another sentence.',
  ]);
});

test('a pause ends a cue', () => {
  const cues = speechCues([...spoken('one two'), ...spoken('three four', { startMs: 3000 })]);
  expect(cues).toMatchObject([
    { text: 'one two', startMs: 0 },
    { text: 'three four', startMs: 3000 },
  ]);
});

test('a long sentence is divided behind a clause', () => {
  const text =
    'When the first train of the year arrived in the small town by the sea, nobody who lived there had seen one before';
  expect(speechCues(spoken(text, { wordMs: 250 })).map((cue) => cue.text.replaceAll('\n', ' '))).toEqual([
    'When the first train of the year arrived in the small town by the sea,',
    'nobody who lived there had seen one before',
  ]);
});

test('a cue stays for as long as it takes to read, if the next one lets it', () => {
  const fast = 'Extraordinarily complicated circumstances';
  expect(speechCues(spoken(fast, { wordMs: 200 }))[0]!.endMs).toBe(Math.round((fast.length / 17) * 1000));
  const followed = speechCues([...spoken(fast, { wordMs: 200 }), ...spoken('Next.', { startMs: 1500 })]);
  expect(followed[0]!.endMs).toBe(1500);
});

test('special characters of WebVTT are escaped', () => {
  expect(speechCues(spoken('A & B <i>'))[0]!.text).toBe('A &amp; B &lt;i&gt;');
});

test('languages without spaces are divided between characters', () => {
  const words = [...'私は昨日東京へ行きましたそして友達に会いました'.repeat(2)].map((text, index) => ({
    text,
    startMs: index * 120,
    endMs: index * 120 + 110,
  }));
  for (const { text } of speechCues(words)) for (const line of text.split('\n')) expect(line.length).toBeLessThan(43);
});

test('cues are in order, do not overlap, keep every word, and have lines of at most 42 characters', () => {
  const word = fc.record({
    text: fc.stringMatching(/^[a-z]{1,12}[.,]?$/),
    gapMs: fc.integer({ min: 0, max: 1500 }),
    lengthMs: fc.integer({ min: 20, max: 900 }),
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 80 }), (given) => {
      let atMs = 0;
      const words = given.map(({ text, gapMs, lengthMs }): Word => {
        const startMs = atMs + gapMs;
        atMs = startMs + lengthMs;
        return { text: ` ${text}`, startMs, endMs: atMs };
      });
      const cues = speechCues(words);
      expect(
        cues
          .map(({ text }) => text)
          .join(' ')
          .split(/\s+/)
          .filter(Boolean),
      ).toEqual(given.map(({ text }) => text));
      for (const [index, { startMs, endMs, text }] of cues.entries()) {
        expect(endMs).toBeGreaterThan(startMs);
        expect(endMs - startMs).toBeLessThanOrEqual(7000);
        expect(endMs).toBeLessThanOrEqual(cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY);
        expect(text.split('\n').length).toBeLessThanOrEqual(2);
        for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(42);
      }
    }),
  );
});

test('200 cues a minute are in order, do not overlap, and each ends after it starts', () => {
  const words = Array.from({ length: 3000 }, (_, index) => ({
    text: ` Wort${index}.`,
    startMs: index * 100,
    endMs: index * 100 + 60,
  }));
  const cues = speechCues(words);
  expect(
    cues
      .map(({ text }) => text)
      .join(' ')
      .split(/\s+/),
  ).toHaveLength(3000);
  for (const [index, { startMs, endMs }] of cues.entries()) {
    expect(endMs).toBeGreaterThan(startMs);
    expect(endMs).toBeLessThanOrEqual(cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY);
  }
});
