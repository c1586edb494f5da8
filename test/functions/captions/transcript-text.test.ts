import { expect, test } from 'vitest';
import { transcriptText } from '../../../functions/captions/transcript-text.ts';

const cue = (startMs: number, text: string) => ({ startMs, endMs: startMs + 1000, settings: '', text });

test('a transcript has a line for each cue, with its time and without tags', () => {
  const cues = [cue(1000, '<v Anna>Guten\nMorgen, <i>alle</i>!'), cue(3_723_004, 'a &lt; b &amp;&amp; c')];
  expect(transcriptText(cues)).toBe('[00:00:01.000] Guten Morgen, alle!\n[01:02:03.004] a < b && c\n');
  expect(transcriptText([])).toBe('');
});

test.each([
  ['&#233;t&#xE9;', 'été'],
  ['1&nbsp;000', '1 000'],
  ['&unknown; &#0; &#xd800; &#x110000;', '&unknown; &#0; &#xd800; &#x110000;'],
  ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
])('the text of %s is %s', (text, plain) => {
  expect(transcriptText([cue(0, text)])).toBe(`[00:00:00.000] ${plain}\n`);
});

test('a long text of opened tags takes no time', () => {
  expect(transcriptText([cue(0, '<'.repeat(200_000))])).toHaveLength(200_000 + 16);
});
