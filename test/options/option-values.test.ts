import { expect, test } from 'vitest';
import { templateQuerySchema } from '../../functions/templates/template-query.ts';
import { coveringArray, type Factor, pairsOf } from './covering-array.ts';
import { queryOf } from './option-rows.ts';
import { optionValues } from './option-values.ts';

test('every option of the template schema has values that npm run test:long tests', () => {
  expect(optionValues()).toMatchObject({ withoutValues: [], unknown: [] });
});

test('the first values of the options make a valid template', () => {
  const factors = optionValues().factors.filter(({ name }) => !name.startsWith('ladder.'));
  expect(templateQuerySchema.safeParse(queryOf(factors, new Map())).error).toBeUndefined();
});

test('each pair of values is in a row, unless it is invalid or already covered', () => {
  const factors: Factor[] = [
    { name: 'codec', values: ['h264', 'vp9'] },
    { name: 'level', values: ['none', '4'] },
    { name: 'size', values: [1, 2, 3] },
  ];
  // VP9 has no level
  const isValid = (row: ReadonlyMap<string, number>): boolean => !(row.get('codec') === 1 && row.get('level') === 1);
  const covered = new Set(['codec=0 size=2']);
  const { rows, refused } = coveringArray(factors, isValid, covered);
  expect(refused).toEqual(['codec=1 level=1']);
  expect(rows.every(isValid)).toBe(true);
  // 4 + 6 + 6 pairs
  expect(new Set(rows.flatMap(pairsOf)).size).toBeGreaterThanOrEqual(4 + 6 + 6 - 2);
  expect(covered.size).toBe(4 + 6 + 6 - 1);
  expect(rows.length).toBeLessThanOrEqual(7);
});
