import { describe, expect, test } from 'vitest';
import { allApart, eachApart } from '../../../functions/common/for-each-settled.ts';

describe.each([
  ['one after the other', eachApart],
  ['all at once', allApart],
] as const)('what is done %s', (_, apart) => {
  test('is done with each, and what failed is thrown together afterwards', async () => {
    const done: number[] = [];
    const act = async (n: number): Promise<void> => {
      if (n % 2 === 0) throw new Error(`not ${n}`);
      done.push(n);
    };
    await expect(apart([1, 2, 3, 4, 5], act)).rejects.toMatchObject({
      errors: [{ message: 'not 2' }, { message: 'not 4' }],
    });
    expect(done).toEqual([1, 3, 5]);
    await apart([7], act);
    expect(done).toEqual([1, 3, 5, 7]);
  });
});
