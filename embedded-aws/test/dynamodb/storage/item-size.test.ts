import dynalite from 'dynalite/db/index.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AttributeValue, db, type Item } from '../../../src/dynamodb/dynalite/dynalite.ts';
import { itemSize, numberSize, pageSize } from '../../../src/dynamodb/storage/item-size.ts';

/** That of dynalite, which other programs of the process have. */
const sizeByDynalite = dynalite.itemSize as (item: Item, ...page: [true, true, string | undefined] | []) => number;

test('the store replaces functions of dynalite in a copy that no other program uses', async () => {
  await import('../../../src/dynamodb/storage/dynalite-store.ts');
  expect(db.itemSize).toBe(itemSize);
  for (const name of ['itemSize', 'createIndexKey', 'updateIndexes', 'queryTable'] as const) {
    expect(dynalite[name]).not.toBe(db[name]);
  }
});

// dynalite counts UTF-16 units, which are bytes in ASCII only.
const text = fc.string({ unit: 'binary-ascii', maxLength: 200 });
const binary = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const digits = fc.string({ unit: fc.constantFrom(...'0000123456789'), minLength: 1, maxLength: 38 });
const number = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.integer({ min: -80, max: 80 })))
  .map(([sign, integer, fraction, exponent]) => {
    return `${sign}${integer}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`;
  });
const set = (member: fc.Arbitrary<string>) => fc.array(member, { minLength: 1, maxLength: 4 });
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ S: text }),
    fc.record({ N: number }),
    fc.record({ B: binary }),
    fc.record({ BOOL: fc.boolean() }),
    fc.record({ NULL: fc.constant(true) }),
    fc.record({ SS: set(text) }),
    fc.record({ NS: set(number) }),
    fc.record({ BS: set(binary) }),
    fc.record({ L: fc.array(tie('value'), { maxLength: 4 }) }),
    fc.record({ M: fc.dictionary(text, tie('value'), { maxKeys: 4 }) }),
  ),
}));
const item = fc.dictionary(fc.oneof(fc.constant('sk'), text), value, { maxKeys: 6 }) as fc.Arbitrary<Item>;

test('items of any content have the sizes that dynalite computes', () => {
  fc.assert(
    fc.property(item, (one) => {
      expect(itemSize(one)).toBe(sizeByDynalite(one));
      expect(pageSize(one, 'sk')).toBe(sizeByDynalite(one, true, true, 'sk'));
      expect(pageSize(one, undefined)).toBe(sizeByDynalite(one, true, true, undefined));
    }),
    { numRuns: 300 },
  );
});

test('names and strings count with their UTF-8 bytes', () => {
  expect(itemSize({ größe: { S: 'é€😀' } })).toBe(7 + 9);
});

test.each([
  ['0', 1],
  ['-0.00', 1],
  ['7', 2],
  ['10', 2],
  ['1000000', 2],
  ['12', 2],
  ['123', 3],
  ['1234', 3],
  ['-7', 3],
  ['0.5', 2],
  ['1e-7', 2],
])('the number %s takes %i bytes', (digits, bytes) => {
  expect(numberSize(digits)).toBe(bytes);
  expect(itemSize({ '': { N: digits } })).toBe(sizeByDynalite({ '': { N: digits } }));
});
