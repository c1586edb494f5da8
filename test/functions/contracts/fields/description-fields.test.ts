import { describe, expect, test } from 'vitest';
import {
  metadataChanges,
  newMetadata,
  newTags,
  tags,
} from '../../../../functions/contracts/fields/description-fields.ts';

const pairs = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, 'x']));

describe('metadata', () => {
  test.each([
    ['names of Object.prototype', { constructor: 'a', toString: 'b', hasOwnProperty: 'c' }],
    ['32 pairs', pairs(32)],
    ['a key of 40 characters', { ['k'.repeat(40)]: 'x' }],
    ['500 astral characters', { note: '😀'.repeat(500) }],
    ['marks of the direction of text', { title: '\u200fשלום\u202c' }],
  ])('takes %s as sent', (_, sent) => {
    expect(newMetadata.parse(sent)).toEqual(sent);
    expect(newMetadata.parse(JSON.stringify(sent))).toEqual(sent);
    expect(metadataChanges.parse(sent)).toEqual(sent);
  });

  test.each([
    ['33 pairs', pairs(33)],
    ['a key of 41 characters', { ['k'.repeat(41)]: 'x' }],
    ['an empty key', { '': 'x' }],
    ['a key with a space', { 'a b': 'x' }],
    ['a key with an accent', { é: 'x' }],
    ['501 characters', { note: 'x'.repeat(501) }],
    ['a number', { note: 1 }],
    ['a nested object', { note: { a: 'b' } }],
    ['half of a surrogate pair', { note: '\ud83d' }],
    ['a list', ['x']],
    ['the name that changes a prototype', JSON.parse('{ "__proto__": "x" }')],
  ])('refuses %s', (_, sent) => {
    expect(newMetadata.safeParse(sent).success).toBe(false);
    expect(metadataChanges.safeParse(sent).success).toBe(false);
  });

  test.each(['{', '[]', '"x"', 'x', '1', 'null'])('refuses the text %s', (sent) => {
    expect(newMetadata.safeParse(sent).success).toBe(false);
  });

  test('null and an empty text remove a pair, and a new video does not get it', () => {
    const sent = { a: null, b: '', c: 'x' };
    expect(metadataChanges.parse(sent)).toEqual({ a: null, b: null, c: 'x' });
    expect(newMetadata.parse(sent)).toEqual({ c: 'x' });
  });

  test('removed pairs do not count', () => {
    const sent = { ...pairs(32), old: null };
    expect(metadataChanges.parse(sent)).toEqual(sent);
  });
});

describe('tags', () => {
  test.each<[string, string[], string[]]>([
    ['that differ in case', ['Sea', 'SEA', 'sea'], ['sea']],
    ['that differ in Unicode form', ['Caf\u00e9', 'cafe\u0301'], ['caf\u00e9']],
    ['with spaces around them', [' sea ', 'sea'], ['sea']],
    ['whose lower case is longer', ['\u0130'], ['i\u0307']],
    ['of 32 astral characters', ['😀'.repeat(32)], ['😀'.repeat(32)]],
    ['of joined emoji', ['👩\u200d👧'], ['👩\u200d👧']],
    ['that are 32 characters after composition', ['e\u0301'.repeat(32)], ['\u00e9'.repeat(32)]],
    ['named like members of objects', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
  ])('%s', (_, sent, stored) => {
    expect(tags.parse(sent)).toEqual(stored);
  });

  test.each<[string, unknown]>([
    ['17', Array.from({ length: 17 }, (_, number) => `t${number}`)],
    ['33 characters', ['x'.repeat(33)]],
    ['an empty one', ['']],
    ['only a space', [' ']],
    ['a number', [1]],
    ['a comma', ['a,b']],
    ['a line break', ['a\nb']],
    ['NUL', ['a\0']],
    ['a mark of the direction of text', ['a\u200f']],
    ['an override of the direction of text', ['\u202eabc']],
    ['half of a surrogate pair', ['\ud83d']],
  ])('refuses %s', (_, sent) => {
    expect(tags.safeParse(sent).success).toBe(false);
  });

  test('of an upload may be one text with commas', () => {
    expect(newTags.parse('Sea, summer,,SEA ,')).toEqual(['sea', 'summer']);
    expect(newTags.parse(['Sea'])).toEqual(['sea']);
    expect(newTags.safeParse('x'.repeat(33)).success).toBe(false);
  });
});
