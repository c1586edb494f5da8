/** One encode of a clip: its bytes, or any measure proportional to them, and its quality in dB. */
export type RatePoint = { bytes: number; decibels: number };

/**
 * Bjøntegaard's delta rate (VCEG-M33): how many percent more bytes `tested` needs than `reference` for the same
 * quality, in the mean over the qualities that both curves reach. The logarithm of the bytes is a cubic polynomial of
 * the quality, fitted by least squares. Null when the curves share no quality.
 */
export function bdRate(reference: RatePoint[], tested: RatePoint[]): number | null {
  const [low, high] = sharedQualities(reference, tested);
  if (low >= high) return null;
  const origin = (low + high) / 2;
  const mean = (points: RatePoint[]): number => {
    const curve = fitCubic(points.map(({ bytes, decibels }) => [decibels - origin, Math.log(bytes)]));
    return (integral(curve, high - origin) - integral(curve, low - origin)) / (high - low);
  };
  return (Math.exp(mean(tested) - mean(reference)) - 1) * 100;
}

/** A cubic polynomial needs four points. */
const fewestPoints = 4;

function sharedQualities(...curves: RatePoint[][]): [low: number, high: number] {
  if (curves.some((curve) => new Set(curve.map(({ decibels }) => decibels)).size < fewestPoints)) {
    throw new Error(`A curve needs ${fewestPoints} points of different quality`);
  }
  const qualities = curves.map((curve) => curve.map(({ decibels }) => decibels));
  return [
    Math.max(...qualities.map((each) => Math.min(...each))),
    Math.min(...qualities.map((each) => Math.max(...each))),
  ];
}

/** Coefficients of 1, x, x² and x³. */
type Cubic = number[];

function fitCubic(points: [x: number, y: number][]): Cubic {
  const powers = [0, 1, 2, 3];
  const sum = (each: (x: number, y: number) => number): number =>
    points.reduce((total, [x, y]) => total + each(x, y), 0);
  return solve(
    powers.map((row) => [...powers.map((column) => sum((x) => x ** (row + column))), sum((x, y) => x ** row * y)]),
  );
}

const integral = (curve: Cubic, x: number): number =>
  curve.reduce((sum, coefficient, power) => sum + (coefficient * x ** (power + 1)) / (power + 1), 0);

/** Gauss-Jordan elimination with partial pivoting. The last number of each row is the right-hand side. */
function solve(equations: number[][]): number[] {
  const rows = equations.map((row) => [...row]);
  for (let column = 0; column < rows.length; column++) {
    const largest = rows.slice(column).toSorted((a, b) => Math.abs(b[column]!) - Math.abs(a[column]!))[0]!;
    rows[rows.indexOf(largest)] = rows[column]!;
    const pivot = largest.map((value) => value / largest[column]!);
    rows[column] = pivot;
    for (const [index, row] of rows.entries()) {
      if (index === column) continue;
      const factor = row[column]!;
      rows[index] = row.map((value, n) => value - factor * pivot[n]!);
    }
  }
  return rows.map((row) => row.at(-1)!);
}
