import { expect, test } from 'vitest';
import { csv } from '../../../dashboard/usage/csv.ts';

test('lines end with CRLF, and an empty field stands for null', () => {
  expect(
    csv([
      ['date', 'user', 'value'],
      ['2026-11-22', null, 12],
    ]),
  ).toBe('date,user,value\r\n2026-11-22,,12\r\n');
});

test.each([
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['<img onerror>', '<img onerror>'],
  ['ünïcode', 'ünïcode'],
])('%j is written as %j', (text, written) => {
  expect(csv([[text]])).toBe(`${written}\r\n`);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '  =1+1', '\t=1', '\tx', '＝1+1'])(
  'the text %j, which a spreadsheet would calculate, begins with an apostrophe',
  (text) => {
    expect(csv([[text]])).toBe(`'${text}\r\n`);
  },
);

test('a formula with a comma is escaped and quoted', () => {
  expect(csv([['=HYPERLINK("http://x","y")']])).toBe('"\'=HYPERLINK(""http://x"",""y"")"\r\n');
  expect(csv([['\r=1']])).toBe('"\'\r=1"\r\n');
});

test('a negative number stays a number', () => {
  expect(csv([[-5]])).toBe('-5\r\n');
});
