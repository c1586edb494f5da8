import { expect, test } from 'vitest';
import { cutList } from '../../../../functions/contracts/fields/paging.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: 2 * index + 1 }));
const query = (given: { page?: number; per_page?: number; cursor?: string } = {}) => ({
  page: undefined,
  per_page: undefined,
  cursor: undefined,
  ...given,
});
const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id);

test('without pages a list is whole up to 1,000 rows, and says when there are more', () => {
  expect(cutList(rows(1000), query())).toEqual({ rows: rows(1000) });
  const { rows: cut, meta } = cutList(rows(1001), query());
  expect([cut.length, meta]).toEqual([1000, { next_cursor: '2001', per_page: 1000 }]);
  expect(cutList([], query())).toEqual({ rows: [] });
});

test.each([
  [{ page: 1 }, [1, 29], { current_page: 1, last_page: 2, per_page: 15, total: 20, next_cursor: '31' }],
  [{ per_page: 20 }, [1, 39], { current_page: 1, last_page: 1, per_page: 20, total: 20, next_cursor: null }],
  [{ page: 2, per_page: 15 }, [31, 39], { current_page: 2, last_page: 2, per_page: 15, total: 20, next_cursor: null }],
  [{ page: 9 }, [undefined, undefined], { current_page: 9, last_page: 2, per_page: 15, total: 20, next_cursor: null }],
  [{ cursor: '31' }, [31, 39], { per_page: 15, next_cursor: null }],
  // The row of the cursor was deleted.
  [{ cursor: '2', per_page: 5 }, [3, 11], { per_page: 5, next_cursor: '13' }],
  [{ cursor: '999' }, [undefined, undefined], { per_page: 15, next_cursor: null }],
])('%j', (given, [first, last], meta) => {
  const cut = cutList(rows(20), query(given));
  expect([ids(cut.rows)[0], ids(cut.rows).at(-1), cut.meta]).toEqual([first, last, meta]);
});
