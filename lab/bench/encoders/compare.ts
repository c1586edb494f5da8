import { bdRate, type RatePoint } from '../ladder/bd-rate.ts';

/** One encode of a clip. Encodes of several clips at the same setting of quality have the same `quality`. */
export type Encode = { clip: string; quality: string; cpuSeconds: number; bytes: number; decibels: number };

export const sumOf = <Item>(items: Item[], value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0);

/** BD-rate in the mean of the clips. Null when no clip can be compared. */
export function bytesDelta(reference: Encode[], tested: Encode[]): number | null {
  const byClip = Map.groupBy(tested, ({ clip }) => clip);
  const percents = [...byClip].flatMap(([clip, encodes]) => {
    const percent = delta(
      reference.filter((encode) => encode.clip === clip),
      encodes,
    );
    return percent === null ? [] : [percent];
  });
  return percents.length === 0 ? null : sumOf(percents, (percent) => percent) / percents.length;
}

/**
 * How many percent more CPU time all clips together need at the same mean XPSNR: the same integral with CPU seconds in
 * the place of bytes. Single clips take so little that the clock of the system is too coarse.
 */
export function cpuDelta(reference: Encode[], tested: Encode[]): number | null {
  const curve = (encodes: Encode[]): RatePoint[] =>
    [...Map.groupBy(encodes, ({ quality }) => quality).values()].map((same) => ({
      bytes: sumOf(same, ({ cpuSeconds }) => cpuSeconds),
      decibels: sumOf(same, ({ decibels }) => decibels) / same.length,
    }));
  return delta(curve(reference), curve(tested));
}

/** Null where encodes do not differ, as of a picture that all of them keep, or take no measurable time. */
function delta(reference: RatePoint[], tested: RatePoint[]): number | null {
  const isComparable = (points: RatePoint[]): boolean =>
    new Set(points.map(({ decibels }) => decibels)).size === points.length && points.every(({ bytes }) => bytes > 0);
  return isComparable(reference) && isComparable(tested) ? bdRate(reference, tested) : null;
}
