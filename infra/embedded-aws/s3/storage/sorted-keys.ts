// S3 lists in the order of UTF-8 bytes; JavaScript compares UTF-16 units, which differ beyond U+D7FF. Keys are therefore
// kept as one character per byte, where the built-in comparison is the right one.

/** A key whose string order is its UTF-8 byte order. Prefixes stay prefixes. */
export function toByteOrder(key: string): string {
  return Buffer.from(key, 'utf8').toString('latin1');
}

export function fromByteOrder(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Sorts above every key that starts with `prefix`: 0xFF occurs in no UTF-8. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u00ff`;
}

/**
 * Keeps the keys of `all` in order, from the first time anyone asks. An insertion moves the tail of one array:
 * 20 µs at 100,000 keys, which no tree in JavaScript beats by enough to be worth its code.
 */
export function sortedKeys(all: () => Iterable<string>) {
  let keys: string[] | undefined;

  function indexAtOrAfter(sorted: string[], key: string): number {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sorted[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    /** Says that `all` now has the key, and did not before. */
    added(key: string): void {
      keys?.splice(indexAtOrAfter(keys, key), 0, key);
    },
    /** Says that `all` no longer has the key. */
    removed(key: string): void {
      keys?.splice(indexAtOrAfter(keys, key), 1);
    },
    /** The first key that is not below `key`. */
    atOrAfter(key: string): string | undefined {
      keys ??= [...all()].sort((a, b) => (a < b ? -1 : 1));
      return keys[indexAtOrAfter(keys, key)];
    },
  };
}
