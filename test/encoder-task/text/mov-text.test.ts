import { expect, test } from 'vitest';
import { movText } from '../../../encoder-task/text/mov-text.ts';

const sample = (text: Buffer, ...boxes: Buffer[]): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, text, ...boxes]);
};

function styl(...runs: [from: number, to: number, flags: number][]): Buffer {
  const box = Buffer.alloc(10 + 12 * runs.length);
  box.writeUInt32BE(box.length);
  box.write('styl', 4);
  box.writeUInt16BE(runs.length, 8);
  for (const [n, [from, to, flags]] of runs.entries()) {
    box.writeUInt16BE(from, 10 + 12 * n);
    box.writeUInt16BE(to, 12 + 12 * n);
    box[16 + 12 * n] = flags;
  }
  return box;
}

test('text in UTF-8 and in UTF-16', () => {
  expect(movText(sample(Buffer.from('Grüße < 1 & 2')))).toBe('Grüße &lt; 1 &amp; 2');
  expect(movText(sample(Buffer.from('\ufeffGrüße', 'utf16le')))).toBe('Grüße');
  expect(movText(sample(Buffer.from('\ufeffGrüße', 'utf16le').swap16()))).toBe('Grüße');
});

test('styles of ranges of characters', () => {
  const hlit = Buffer.from([0, 0, 0, 12, ...Buffer.from('hlit'), 0, 0, 0, 1]);
  expect(movText(sample(Buffer.from('😀 bold both'), hlit, styl([2, 6, 1], [7, 11, 3])))).toBe(
    '😀 <b>bold</b> <b><i>both</i></b>',
  );
  expect(movText(sample(Buffer.from('abc'), styl([1, 99, 4])))).toBe('a<u>bc</u>');
});

test('an empty text, and boxes that are cut off', () => {
  expect(movText(sample(Buffer.alloc(0)))).toBe('');
  expect(movText(sample(Buffer.from('text'), styl([0, 2, 1]).subarray(0, 15)))).toBe('text');
});

test.each([
  ['a text beyond its sample', Buffer.from([0, 9, 65])],
  ['invalid UTF-8', sample(Buffer.from([0xff, 0xc0]))],
  ['no length', Buffer.alloc(1)],
])('%s is damaged', (_, damaged) => {
  expect(() => movText(damaged)).toThrow();
});
