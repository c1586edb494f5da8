import { newUlid } from '../../common/ids.ts';
import type { Key, Shard } from './keys.ts';

/**
 * A sum that many transactions add to is kept in several items, which readers add up: DynamoDB cancels one of two
 * transactions that write the same item at the same time.
 */
export type Sum = {
  /** The key of one of its items. */
  keyOf: (shard: Shard) => Key;
  /** How many items it has without conflicts. */
  shards: number;
};

/** One of the items at random. After a conflict a new one, so that the next attempt cannot meet another transaction. */
export function pickShard({ shards }: Sum, afterConflict: boolean): Shard {
  const number = Math.floor(Math.random() * shards);
  return afterConflict ? { number, own: newUlid() } : { number };
}
