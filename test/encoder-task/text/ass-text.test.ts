import { expect, test } from 'vitest';
import { assText } from '../../../encoder-task/text/ass-text.ts';

const event = (text: string): string => `12,0,Default,Name,0,0,0,,${text}`;

test.each([
  ['plain text with, commas', 'plain text with, commas'],
  [String.raw`{\b1}bold{\b0} {\i1}italic{\i0}`, '<b>bold</b> <i>italic</i>'],
  [String.raw`{\b700\i1}both{\b0} italic`, '<b><i>both</i></b><i> italic</i>'],
  [String.raw`{\u1}under{\r} plain`, '<u>under</u> plain'],
  [String.raw`{\i1}never closed`, '<i>never closed</i>'],
  [String.raw`{\an8\pos(10,20)\fs30\1c&HFF&\blur2\iclip(m 0 0)}sign`, 'sign'],
  [String.raw`{\p1}m 0 0 l 100 0{\p0}after`, 'after'],
  [String.raw`one\Ntwo\nthree\hfour`, 'one\ntwo\nthree\u00a0four'],
  ['a < b & <i>c</i>', 'a &lt; b &amp; &lt;i&gt;c&lt;/i&gt;'],
  ['{ without an end', '{ without an end'],
  ['{a comment}text', 'text'],
])('%s', (text, expected) => {
  expect(assText(event(text))).toBe(expected);
});

test('an event without its fields is damaged', () => {
  expect(() => assText('text only, no fields')).toThrow(RangeError);
});
