import { expect, test } from 'vitest';
import { matchesPattern, requirePattern } from '../../src/template/event-pattern.ts';

test.each([
  ['an empty matcher', {}, 'exactly one matcher'],
  ['two matchers', { prefix: 'a', suffix: 'b' }, 'exactly one matcher'],
  ['a prefix that is a number', { prefix: 5 }, '"prefix" does not accept 5'],
  ['a matcher in a prefix', { prefix: { 'equals-ignore-case': 'a' } }, '"prefix" does not accept'],
  ['exists with a text', { exists: 'true' }, '"exists" does not accept "true"'],
  ['anything-but without values', { 'anything-but': [] }, '"anything-but" does not accept []'],
  ['anything-but with null', { 'anything-but': null }, '"anything-but" does not accept null'],
  ['anything-but with strings and numbers', { 'anything-but': ['a', 1] }, '"anything-but" does not accept'],
  ['anything-but with exists', { 'anything-but': { exists: true } }, '"anything-but" does not accept'],
  ['anything-but with several prefixes', { 'anything-but': { prefix: ['a'] } }, '"prefix" does not accept'],
  ['an unknown matcher', { numeric: ['>', 1] }, 'does not support the matcher "numeric"'],
])('%s is refused', (_, alternative, message) => {
  expect(() => requirePattern({ field: [alternative] })).toThrow(message);
});

test.each([
  'text',
  5,
  null,
  { prefix: '' },
  { 'anything-but': [1, 2] },
  { 'anything-but': 'a' },
  { 'anything-but': { suffix: '.mp4' } },
])('%j is accepted', (alternative) => {
  expect(() => requirePattern({ field: [alternative] })).not.toThrow();
});

test.each([
  ['a field that contains fields does not exist', { a: [{ exists: true }] }, { a: { b: 1 } }, false],
  ['nor does an empty array', { a: [{ exists: false }] }, { a: [] }, true],
  ['a null exists', { a: [{ exists: true }] }, { a: null }, true],
  ['fields of the same element of an array match', { a: { b: [1], c: [2] } }, { a: [{}, { b: 1, c: 2 }] }, true],
  ['fields of different elements do not', { a: { b: [1], c: [2] } }, { a: [{ b: 1 }, { c: 2 }] }, false],
  ['anything-but matches one other element', { a: [{ 'anything-but': 'x' }] }, { a: ['x', 'y'] }, true],
])('%s', (_, pattern, event, matches) => {
  expect(matchesPattern(pattern, event)).toBe(matches);
});
