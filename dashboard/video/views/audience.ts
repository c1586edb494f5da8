/** The shape of the curve in a box of 100 × 100, whose top is the part that most playbacks have loaded. */
export function areaOf(reached: readonly number[]): string {
  const most = Math.max(...reached, 1);
  const last = Math.max(reached.length - 1, 1);
  const points = reached.map((count, index) => `${round((index / last) * 100)} ${round(100 - (count / most) * 100)}`);
  return `M0 100 L${points.join(' L')} L100 100 Z`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

export type Tenth = { fromSeconds: number; toSeconds: number; playbacks: number; share: number };

/** The curve in ten numbers: the most playbacks of each tenth, and their share of those of the whole video. */
export function tenthsOf(reached: readonly number[], durationSeconds: number): Tenth[] {
  const most = Math.max(...reached, 0);
  const size = Math.ceil(reached.length / 10);
  return Array.from({ length: 10 }, (_, index) => {
    const playbacks = Math.max(...reached.slice(index * size, (index + 1) * size), 0);
    return {
      fromSeconds: (durationSeconds * index) / 10,
      toSeconds: (durationSeconds * (index + 1)) / 10,
      playbacks,
      share: most === 0 ? 0 : playbacks / most,
    };
  });
}
