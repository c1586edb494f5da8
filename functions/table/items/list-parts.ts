import { type Item, queryIndex } from './items.ts';

/** A part of a list in order of ids: `limit` rows behind the first `offset`, of the rows from an id on. */
export type ListPart = { fromId?: number | undefined; offset: number; limit: number };

/** An id as part of a sort key: lists are in order of ids. */
export const idSort = (id: number): string => String(id).padStart(16, '0');

/** A part of lists of the index `byOwner` whose sort keys are ids, together in order of ids. */
export async function queryListPart(lists: readonly string[], { fromId, offset, limit }: ListPart): Promise<Item[]> {
  const from = fromId === undefined ? {} : { from: idSort(fromId) };
  const found = await Promise.all(lists.map((list) => queryIndex('byOwner', list, { limit: offset + limit, ...from })));
  const rows = found.length === 1 ? found[0]! : found.flat().toSorted(byOwnerSort);
  return rows.slice(offset, offset + limit);
}

const byOwnerSort = (one: Item, other: Item): number => (String(one.ownerSort) < String(other.ownerSort) ? -1 : 1);
