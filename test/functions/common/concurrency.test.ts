import { expect, test } from 'vitest';
import { forEachSettled } from '../../../functions/common/concurrency.ts';

test.each([1, 2, 5])(
  'with %i at a time, all items are processed and the failures are thrown together',
  async (concurrency) => {
    const done: number[] = [];
    const action = async (n: number): Promise<void> => {
      if (n % 2 === 0) throw new Error(`not ${n}`);
      done.push(n);
    };
    await expect(forEachSettled([1, 2, 3, 4, 5], action, concurrency)).rejects.toMatchObject({
      errors: [{ message: 'not 2' }, { message: 'not 4' }],
    });
    expect(done).toEqual([1, 3, 5]);
    await forEachSettled([7], action, concurrency);
    expect(done).toEqual([1, 3, 5, 7]);
  },
);
