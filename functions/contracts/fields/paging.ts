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

type Page = { page: number; per_page: number };

/** The block that says where a page stands; an empty list has one page. */
export const pageMeta = ({ page, per_page }: Page, total: number): z.input<typeof paginationMeta> => ({
  current_page: page,
  last_page: Math.max(1, Math.ceil(total / per_page)),
  per_page,
  total,
});

export const pageOffset = ({ page, per_page }: Page): number => (page - 1) * per_page;
