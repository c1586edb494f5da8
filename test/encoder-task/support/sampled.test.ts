import { expect, test } from 'vitest';
import { sampled } from './sampled.ts';

const cases = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

test('a sample has the named cases, and a complete run has all', () => {
  expect(sampled(cases, ['c', 'a'], false)).toEqual([{ name: 'c' }, { name: 'a' }]);
  expect(sampled(cases, ['c', 'a'], true)).toEqual(cases);
  expect(sampled([['a', 1] as const, ['b', 2] as const], ['b'], false)).toEqual([['b', 2]]);
});

test.each([true, false])('a name without a case is an error, also in a complete run: %s', (allCases) => {
  expect(() => sampled(cases, ['d'], allCases)).toThrow('There is no case "d".');
});
