/** A setting and the values that it is tested with. The first ones are used where no pair asks for another. */
export type Factor = { name: string; values: readonly unknown[] };
/** Positions of values by the names of factors. */
export type Row = ReadonlyMap<string, number>;

export type CoveringArray = {
  rows: Row[];
  /** pairs of values in the rows */
  pairs: number;
  /** pairs that are in no valid row */
  refused: string[];
};

/**
 * Rows in which every valid pair of values of two factors occurs, except pairs in `covered`, to which they are added.
 * Greedy: each row starts with a pair that is missing, and gives the other factors, in their order, the value that adds
 * the most missing pairs. `isValid` says whether some values can be part of a valid row.
 */
export function coveringArray(
  factors: readonly Factor[],
  isValid: (row: Row) => boolean,
  covered = new Set<string>(),
): CoveringArray {
  const missing = new Map<string, Row>();
  for (const [n, a] of factors.entries()) {
    for (const b of factors.slice(n + 1)) {
      for (const i of a.values.keys()) {
        for (const j of b.values.keys()) {
          const pair = pairOf(a.name, i, b.name, j);
          if (!covered.has(pair)) missing.set(pair, row([a.name, i], [b.name, j]));
        }
      }
    }
  }
  const rows: Row[] = [];
  const refused: string[] = [];
  const before = covered.size;
  for (const [pair, start] of missing) {
    if (!missing.has(pair)) continue;
    if (!isValid(start)) {
      missing.delete(pair);
      refused.push(pair);
      continue;
    }
    const filled = fill(start, factors, missing, isValid);
    for (const found of pairsOf(filled)) {
      missing.delete(found);
      covered.add(found);
    }
    rows.push(filled);
  }
  return { rows, pairs: covered.size - before, refused };
}

function fill(
  start: Row,
  factors: readonly Factor[],
  missing: ReadonlyMap<string, Row>,
  isValid: (row: Row) => boolean,
): Row {
  const filled = new Map(start);
  for (const { name, values } of factors) {
    if (filled.has(name)) continue;
    const gain = (value: number): number =>
      [...filled].filter(([other, position]) => missing.has(pairOf(name, value, other, position))).length;
    const byGain = [...values.keys()].map((value) => ({ value, gain: gain(value) })).sort((a, b) => b.gain - a.gain);
    const best = byGain.find(({ value }) => isValid(new Map([...filled, [name, value]])));
    if (!best) throw new Error(`${name} has no value that is valid with ${JSON.stringify([...filled])}`);
    filled.set(name, best.value);
  }
  return filled;
}

const row = (...values: [name: string, position: number][]): Row => new Map(values);

const pairOf = (a: string, i: number, b: string, j: number): string =>
  a < b ? `${a}=${i} ${b}=${j}` : `${b}=${j} ${a}=${i}`;

/** The pairs of values in a row. */
export function pairsOf(values: Row): string[] {
  const entries = [...values];
  return entries.flatMap(([a, i], n) => entries.slice(n + 1).map(([b, j]) => pairOf(a, i, b, j)));
}
