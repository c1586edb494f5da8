import * as z from 'zod';
import { queryItems, type Write } from './items.ts';
import { type CountedKind, keys, totalPrefix } from './keys.ts';

/** Items of a total, so that transactions that create records at the same time rarely meet. */
const totalShards = 4;

const totalRecord = z.object({ value: z.number() });

/** Adds to the number of records of a kind. Part of the transaction that creates or deletes one. */
export const totalWrite = (kind: CountedKind, change: 1 | -1): Write => ({
  sum: { keyOf: (shard) => keys.total(kind, shard), shards: totalShards },
  set: { kind: 'total' },
  add: { value: change },
});

/** How many records of a kind there are. */
export async function countRecords(kind: CountedKind): Promise<number> {
  const items = await queryItems(keys.counter(kind).pk, totalPrefix);
  return items.reduce((sum, item) => sum + totalRecord.parse(item).value, 0);
}
