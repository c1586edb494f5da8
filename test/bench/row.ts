/** One thing measured. `baseline` and `ratio` are null where there is nothing to compare with. */
export type Row = {
  name: string;
  value: number;
  unit: string;
  baseline: number | null;
  ratio: number | null;
  /** such as `ratio <= 1.15` */
  target: string;
  ok: boolean;
};

type Measured = {
  name: string;
  value: number;
  unit: string;
  baseline?: number | null;
  atMost?: number;
  atLeast?: number;
  ratioAtMost?: number;
};

/** A row with its target. All limits that are given must hold; a ratio needs a baseline. */
export function row({ name, value, unit, baseline = null, atMost, atLeast, ratioAtMost }: Measured): Row {
  const ratio = baseline === null ? null : value / baseline;
  const limits = [
    ...(atMost === undefined ? [] : [{ target: `value <= ${atMost}`, holds: value <= atMost }]),
    ...(atLeast === undefined ? [] : [{ target: `value >= ${atLeast}`, holds: value >= atLeast }]),
    ...(ratioAtMost === undefined ? [] : [{ target: `ratio <= ${ratioAtMost}`, holds: ratio! <= ratioAtMost }]),
  ];
  const target = limits.map((limit) => limit.target).join(', ');
  return { name, value, unit, baseline, ratio, target, ok: limits.every(({ holds }) => holds) };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The rows as lines of equally wide columns under their names. */
export function formatTable(rows: Row[]): string {
  const number = (value: number | null): string => (value === null ? '' : value.toFixed(2));
  const cells = [
    ['name', 'value', 'baseline', 'unit', 'ratio', 'target', 'ok'],
    ...rows.map(({ name, value, unit, baseline, ratio, target, ok }) => {
      return [name, number(value), number(baseline), unit, number(ratio), target, ok ? 'yes' : 'NO'];
    }),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
