import { defaults } from '../../shared/defaults.ts';
import { numberedName } from '../common/numbered-name.ts';

/** A stream as it is encoded: with one length of segments, under a name of its own. */
export type Variant<Item> = { item: Item; name: string; segmentSeconds: number };

/** What one output takes. `segmentSeconds` is null when it is one file and any length will do. */
export type Requirement<Item> = { items: Item[]; segmentSeconds: number | null };

/**
 * Streams to encode so that every output is served. A stream is encoded once for each segment length asked of it: the first keeps the name, others
 * are `<name>-4s`, since segments of 4 and 6 s share no boundaries but every twelfth second. One-file outputs use what is there. Items that no
 * output takes are left out.
 */
export function streamVariants<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  wishes: Requirement<Item>[],
  takenNames: Set<string>,
): Variant<Item>[] {
  return items.flatMap((item) => {
    const takers = wishes.filter((wish) => wish.items.includes(item));
    if (takers.length === 0) return [];
    const lengths = new Set(takers.map(({ segmentSeconds }) => segmentSeconds).filter((length) => length !== null));
    if (lengths.size === 0) lengths.add(defaults.segmentSeconds);
    return [...lengths].map((segmentSeconds, index) => ({
      item,
      segmentSeconds,
      name: index === 0 ? nameOf(item) : numberedName(`${nameOf(item)}-${segmentSeconds}s`, takenNames),
    }));
  });
}

/** The variants that serve one output, in the order of its items. */
export const variantsFor = <Item>(
  { items, segmentSeconds }: Requirement<Item>,
  variants: Variant<Item>[],
): Variant<Item>[] =>
  items.map(
    (item) =>
      variants.find((variant) => variant.item === item && variant.segmentSeconds === segmentSeconds) ??
      variants.find((variant) => variant.item === item)!,
  );
