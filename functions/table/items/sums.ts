import { randomInt } from 'node:crypto';
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

/** So many that transactions hardly meet in them, and so few that a page of a query holds them all. */
export const sparesPerShard = 32;

/** One of the items at random: after a conflict a spare one, of which there are many more. */
export function pickShard({ shards }: Sum, afterConflict: boolean): Shard {
  const number = randomInt(shards);
  return afterConflict ? { number, spare: String(randomInt(sparesPerShard)) } : { number };
}
