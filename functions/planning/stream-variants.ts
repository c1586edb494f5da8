import { defaults } from '../../shared/defaults.ts';
import { numberedName } from '../common/numbered-name.ts';

/** A stream encoded with one segment length, under a unique name. */
export type Variant<Item> = { item: Item; name: string; segmentSeconds: number };

/** The streams that one output needs. `segmentSeconds` is null for a single file, which can use any segment length. */
export type Requirement<Item> = { items: Item[]; segmentSeconds: number | null };

/**
 * The variants that all outputs need together. A stream is encoded once for each segment length that is required of it:
 * the first variant keeps the stream's name, the others are `<name>-4s`. Segments of 4 s and 6 s cannot be shared:
 * their boundaries meet only every 12 s. Single-file outputs use a variant that another output needs, if there is one.
 * Items that no output requires are not encoded.
 */
export function streamVariants<Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  requirements: Requirement<Item>[],
  takenNames: Set<string>,
): Variant<Item>[] {
  return items.flatMap((item) => {
    const requiring = requirements.filter((requirement) => requirement.items.includes(item));
    if (requiring.length === 0) return [];
    const lengths = new Set(requiring.map(({ segmentSeconds }) => segmentSeconds).filter((length) => length !== null));
    if (lengths.size === 0) lengths.add(defaults.segmentSeconds);
    return [...lengths].map((segmentSeconds, index) => ({
      item,
      segmentSeconds,
      name: index === 0 ? nameOf(item) : numberedName(`${nameOf(item)}-${segmentSeconds}s`, takenNames),
    }));
  });
}

/** The variants that one output uses, in the order of its items. */
export const variantsFor = <Item>(
  { items, segmentSeconds }: Requirement<Item>,
  variants: Variant<Item>[],
): Variant<Item>[] =>
  items.map(
    (item) =>
      variants.find((variant) => variant.item === item && variant.segmentSeconds === segmentSeconds) ??
      variants.find((variant) => variant.item === item)!,
  );
