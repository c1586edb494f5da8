import { expect, test } from 'vitest';
import { readListPage } from '../../../../functions/contracts/fields/paging.ts';

const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: 2 * index + 1 }));
const query = (given: { page?: number; per_page?: number; cursor?: string } = {}) => ({
  page: undefined,
  per_page: undefined,
  cursor: undefined,
  ...given,
});
const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id);

/** A list that records how many rows were read, and whether it was counted. */
function listOf(all: { id: number }[]) {
  const seen = { read: 0, counted: 0 };
  return {
    seen,
    async read({ fromId = 0, offset, limit }: { fromId?: number; offset: number; limit: number }) {
      const part = all.filter(({ id }) => id >= fromId).slice(offset, offset + limit);
      seen.read += part.length;
      return part;
    },
    async count() {
      seen.counted += 1;
      return all.length;
    },
  };
}

test('without pages a list is whole up to 1,000 rows, and says when there are more', async () => {
  expect(await readListPage(query(), listOf(rows(1000)))).toEqual({ rows: rows(1000) });
  const { rows: cut, meta } = await readListPage(query(), listOf(rows(1001)));
  expect([cut.length, meta]).toEqual([1000, { next_cursor: '2001', per_page: 1000 }]);
  expect(await readListPage(query(), listOf([]))).toEqual({ rows: [] });
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
])('%j', async (given, [first, last], meta) => {
  const cut = await readListPage(query(given), listOf(rows(20)));
  expect([ids(cut.rows)[0], ids(cut.rows).at(-1), cut.meta]).toEqual([first, last, meta]);
});

test('a page of a long list reads its own rows and one more, and only numbered pages count', async () => {
  const list = listOf(rows(5000));
  await readListPage(query({ cursor: '7001' }), list);
  expect(list.seen).toEqual({ read: 16, counted: 0 });
  await readListPage(query({ page: 100, per_page: 15 }), list);
  expect(list.seen).toEqual({ read: 32, counted: 1 });
});
