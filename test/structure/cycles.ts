export type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/** Strongly connected components with at least two nodes, by Tarjan's algorithm. The nodes of each are sorted. */
export function knotsOf(edges: Edges): string[][] {
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const knots: string[][] = [];

  const visit = (node: string): void => {
    const index = indexes.size;
    indexes.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!indexes.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== index) return;
    const knot = stack.splice(stack.indexOf(node));
    if (knot.length > 1) knots.push(knot.toSorted());
  };

  for (const node of edges.keys()) if (!indexes.has(node)) visit(node);
  return knots;
}
