import { expect, test } from 'vitest';
import { entityTag, namesTag } from '../../../functions/http/entity-tag.ts';

const tag = entityTag('{"data":[]}');
const strong = tag.slice(2);

test('a tag is weak, and depends on the body alone', () => {
  expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
  expect(entityTag('{"data":[]}')).toBe(tag);
  expect(entityTag('{"data":[1]}')).not.toBe(tag);
});

test.each([
  [tag, true],
  [strong, true],
  ['*', true],
  [' * ', true],
  [`"a", ${tag}`, true],
  [`W/"a,b",${strong} , "c"`, true],
  [undefined, false],
  ['', false],
  ['"a"', false],
  [strong.replaceAll('"', ''), false],
  [strong.slice(0, -2), false],
  ['"*"', false],
])('If-None-Match %j: %s', (header, expected) => {
  expect(namesTag(header, tag)).toBe(expected);
});
