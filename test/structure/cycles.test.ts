import { expect, test } from 'vitest';
import { type Edges, knotsOf } from './cycles.ts';

const edges = (graph: Record<string, string>): Edges =>
  new Map(Object.entries(graph).map(([node, targets]) => [node, new Set(targets)]));

test('a chain has no knot', () => {
  expect(knotsOf(edges({ a: 'bc', b: 'c', c: '' }))).toEqual([]);
});

test('two cycles that share a node are one knot, and separate cycles are two', () => {
  expect(knotsOf(edges({ a: 'b', b: 'ac', c: 'b', d: 'e', e: 'd', f: 'a' }))).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});
