import { createRandom as createShares } from '../simulate/events.ts';

/** Pseudo-random choices from a seed. */
export type Random = {
  /** [0, 1) */
  share(): number;
  /** a whole number from `low` to `high`, both included */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
};

export function createRandom(seed: number): Random {
  const share = createShares(seed);
  const between = (low: number, high: number): number => low + Math.floor(share() * (high - low + 1));
  return { share, between, pick: (items) => items[between(0, items.length - 1)]! };
}
