import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromByteOrder, sortedKeys, toByteOrder } from '../../../src/s3/storage/sorted-keys.ts';

test('the conversion to byte order is reversible and keeps the order', () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)))).toBe(
        toByteOrder(a) < toByteOrder(b) ? -1 : toByteOrder(a) > toByteOrder(b) ? 1 : 0,
      );
      expect(fromByteOrder(toByteOrder(a))).toBe(a);
    }),
  );
});

test('sorted keys stay sorted after insertions and removals', () => {
  const changes = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 30 }).map(String)), { maxLength: 100 });
  fc.assert(
    fc.property(changes, (steps) => {
      const set = new Set<string>();
      const sorted = sortedKeys(() => set);
      for (const [add, key] of steps) {
        if (add && !set.has(key)) {
          set.add(key);
          sorted.added(key);
        } else if (!add && set.delete(key)) {
          sorted.removed(key);
        }
        expect(sorted.atOrAfter(key)).toBe([...set].sort().find((other) => other >= key));
      }
    }),
  );
});
