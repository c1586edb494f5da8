import * as z from 'zod';
import { integerBetween, publishedAs, queryInteger } from './fields.ts';

export const pageQuery = z.object({
  page: queryInteger(1)
    .default(1)
    .meta(publishedAs({ ...integerBetween(1), default: 1 })),
  per_page: queryInteger(1, 100)
    .default(15)
    .meta(publishedAs({ ...integerBetween(1, 100), default: 15 })),
});

export const paginationMeta = z.object({
  current_page: z.int().min(1),
  last_page: z.int().min(1),
  per_page: z.int().min(1).max(100),
  total: z.int().min(0),
});

export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), meta: paginationMeta });

/** Where a page of a list without a total stands. */
export const cursorMeta = z.object({
  next_cursor: z.string().nullable().meta({ description: 'For the next page; null on the last one.' }),
  per_page: z.int().min(1),
});

/** A cursor of an earlier response, in the form that the list gives it. */
export const cursorInput = (pattern: RegExp) =>
  z
    .string()
    .regex(pattern, { error: 'The cursor field must be the next_cursor of an earlier page.' })
    .optional()
    .meta(publishedAs({ type: 'string', description: 'meta.next_cursor of the page before.' }));

/** With `page` and `per_page`, or with `cursor` and `per_page`; without them the whole list. */
export const listQuery = z
  .object({
    page: queryInteger(1).optional(),
    per_page: queryInteger(1, 100)
      .optional()
      .meta(publishedAs({ ...integerBetween(1, 100), description: 'Default 15 with page or cursor.' })),
    cursor: cursorInput(/^[1-9][0-9]{0,15}$/),
  })
  .superRefine(({ page, cursor }, context) => {
    if (page === undefined || cursor === undefined) return;
    const message = 'The page field cannot be used together with cursor.';
    context.addIssue({ code: 'custom', path: ['page'], message });
  });

/** A list that is answered whole up to 1,000 rows, or in pages. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    meta: z
      .union([paginationMeta.extend(cursorMeta.pick({ next_cursor: true }).shape), cursorMeta])
      .optional()
      .meta({ description: 'Of a page; also of a whole list that has more than 1,000 rows.' }),
  });

export const wholeOrPaged =
  'Without page, per_page and cursor the answer has all rows, up to 1,000, and meta.next_cursor only when there are more.';

/** How many rows a response without pages has. */
const maxRows = 1000;

/** Reads a list in order of ids. */
export type ListReader<Row> = {
  /** `limit` rows behind the first `offset`, of the rows from an id on */
  read(part: { fromId?: number; offset: number; limit: number }): Promise<readonly Row[]>;
  count(): Promise<number>;
};

/**
 * The part of a list in order of ids that a query asks for. A cursor is the id of the first row of its page. Only the
 * rows up to the page are read.
 */
export async function readListPage<Row extends { id: number }>(
  { page, per_page, cursor }: z.output<typeof listQuery>,
  { read, count }: ListReader<Row>,
): Promise<{
  rows: Row[];
  meta?: z.input<typeof cursorMeta> | (z.input<typeof paginationMeta> & { next_cursor: string | null });
}> {
  const isPaged = page !== undefined || per_page !== undefined || cursor !== undefined;
  const isNumbered = isPaged && cursor === undefined;
  const size = isPaged ? (per_page ?? 15) : maxRows;
  const numbered = { page: page ?? 1, per_page: size };
  const [found, total] = await Promise.all([
    read({ offset: pageOffset(numbered), limit: size + 1, ...(cursor !== undefined && { fromId: Number(cursor) }) }),
    isNumbered ? count() : 0,
  ]);
  const rows = found.slice(0, size);
  const next_cursor = found[size] ? String(found[size].id) : null;
  if (isNumbered) return { rows, meta: { ...pageMeta(numbered, total), next_cursor } };
  return isPaged || next_cursor !== null ? { rows, meta: { next_cursor, per_page: size } } : { rows };
}

type Page = { page: number; per_page: number };

/** The block that says where a page stands; an empty list has one page. */
export const pageMeta = ({ page, per_page }: Page, total: number): z.input<typeof paginationMeta> => ({
  current_page: page,
  last_page: Math.max(1, Math.ceil(total / per_page)),
  per_page,
  total,
});

export const pageOffset = ({ page, per_page }: Page): number => (page - 1) * per_page;
