import { type Item, queryIndex } from '../items/items.ts';

const orderOf = (item: Item | undefined): string => String(item?.queueOrder);

/** More than the part of each partition when the records are spread evenly: then one read of each is enough. */
const shareOf = (limit: number, partitions: number): number =>
  Math.min(limit, 4 + Math.ceil((1.5 * limit) / partitions));

/** The first `limit` keys of several partitions of the index `queue` in its order, as if they were one. */
export async function queryShards(partitions: readonly string[], limit: number): Promise<Item[]> {
  const merged = (lists: readonly Item[][]): Item[] =>
    lists.flat().toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const read = (partition: string, count: number) => queryIndex('queue', partition, { limit: count });
  const share = shareOf(limit, partitions.length);
  const found = await Promise.all(partitions.map((partition) => read(partition, share)));
  const last = merged(found)[limit - 1];
  // Such a partition may have further records in front of the last one.
  const isCut = (items: readonly Item[]): boolean =>
    share < limit && items.length === share && (!last || orderOf(items.at(-1)) < orderOf(last));
  const whole = await Promise.all(
    found.map((items, position) => (isCut(items) ? read(partitions[position]!, limit) : items)),
  );
  return merged(whole).slice(0, limit);
}
