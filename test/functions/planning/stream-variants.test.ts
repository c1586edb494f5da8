import { expect, test } from 'vitest';
import { type Requirement, streamVariants, variantsFor } from '../../../functions/planning/stream-variants.ts';

const plan = (items: string[], wishes: Requirement<string>[], taken: string[] = items) =>
  streamVariants(items, (item) => item, wishes, new Set(taken));
const shown = (...args: Parameters<typeof plan>) =>
  plan(...args).map(({ name, segmentSeconds }) => `${name} ${segmentSeconds}s`);

test('a stream is encoded once for outputs with the same segment length', () => {
  expect(
    shown(
      ['a', 'b'],
      [
        { items: ['a', 'b'], segmentSeconds: 6 },
        { items: ['b'], segmentSeconds: 6 },
      ],
    ),
  ).toEqual(['a 6s', 'b 6s']);
});

test('a stream is encoded again for each other segment length', () => {
  const wishes = [
    { items: ['a'], segmentSeconds: 4 },
    { items: ['a'], segmentSeconds: 6 },
    { items: ['a'], segmentSeconds: 10 },
  ];
  expect(shown(['a'], wishes)).toEqual(['a 4s', 'a-6s 6s', 'a-10s 10s']);
});

test('a generated name does not collide with other streams', () => {
  const wishes = [
    { items: ['a', 'a-6s'], segmentSeconds: 4 },
    { items: ['a'], segmentSeconds: 6 },
  ];
  expect(shown(['a', 'a-6s'], wishes)).toEqual(['a 4s', 'a-6s-2 6s', 'a-6s 4s']);
});

test('a single file uses an existing variant, or segments of 6 s without one', () => {
  const file = { items: ['a'], segmentSeconds: null };
  expect(shown(['a'], [file])).toEqual(['a 6s']);
  const variants = plan(['a'], [file, { items: ['a'], segmentSeconds: 2 }]);
  expect(variantsFor(file, variants)).toEqual([{ item: 'a', name: 'a', segmentSeconds: 2 }]);
});

test('a stream that no output requires is not encoded', () => {
  expect(shown(['a', 'b'], [{ items: ['b'], segmentSeconds: 6 }])).toEqual(['b 6s']);
});
