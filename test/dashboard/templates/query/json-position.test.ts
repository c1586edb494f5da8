import { expect, test } from 'vitest';
import { findInJson, lineOf } from '../../../../dashboard/templates/query/json-position.ts';

const json = JSON.stringify(
  {
    version: 1,
    video: [
      { name: 'a "b"}', bitrate: '5M' },
      { name: 'c', bitrate: null, '"': [true] },
    ],
    outputs: [],
  },
  undefined,
  2,
);
const textAt = (path: string): string => {
  const { start, end } = findInJson(json, path.split('.'));
  return json.slice(start, end);
};

test.each([
  ['version', '1'],
  ['video.0.name', '"a \\"b\\"}"'],
  ['video.0.bitrate', '"5M"'],
  ['video.1.bitrate', 'null'],
  ['video.1.".0', 'true'],
  ['outputs', '[]'],
])('the value at %s is %s', (path, text) => {
  expect(textAt(path)).toBe(text);
});

test('the innermost part that exists is found for a missing key', () => {
  expect(JSON.parse(textAt('video.1.codec'))).toMatchObject({ name: 'c' });
  expect(textAt('outputs.0.format')).toBe('[]');
  expect(textAt('ladder.codec')).toBe(json);
  expect(textAt('')).toBe(json);
});

test('text without spaces or with other line ends', () => {
  const compact = '{"a":{"b":[1,2,{"c":-1.5e3}]}}';
  const { start, end } = findInJson(compact, ['a', 'b', '2', 'c']);
  expect(compact.slice(start, end)).toBe('-1.5e3');
  const windows = '{\r\n\t"a" : [ 1 ,\r\n 22 ]\r\n}';
  const found = findInJson(windows, ['a', '1']);
  expect(windows.slice(found.start, found.end)).toBe('22');
  expect(lineOf(windows, found.start)).toBe(3);
});

test('of equal keys the last counts, as in JSON.parse', () => {
  const { start, end } = findInJson('{"a":1,"a":2}', ['a']);
  expect('{"a":1,"a":2}'.slice(start, end)).toBe('2');
});
