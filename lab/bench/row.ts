/** One measurement. `baseline` and `ratio` are null without a comparison. */
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

/** A row with its target. All given limits must hold; a ratio needs a baseline. */
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

const widths = [62, 10, 10, 8, 7, 16];

const line = (cells: string[]): string =>
  cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(' ')
    .trimEnd();

/** The column headings of `formatRow`. */
export const heading = line(['name', 'value', 'baseline', 'unit', 'ratio', 'target', 'ok']);

/** The row as a line with fixed column widths, so that each row can be printed when it is ready. */
export function formatRow({ name, value, unit, baseline, ratio, target, ok }: Row): string {
  const number = (measured: number | null): string => (measured === null ? '' : measured.toFixed(2));
  return line([name, number(value), number(baseline), unit, number(ratio), target, ok ? 'yes' : 'NO']);
}

export const formatTable = (rows: Row[]): string => [heading, ...rows.map(formatRow)].join('\n');
