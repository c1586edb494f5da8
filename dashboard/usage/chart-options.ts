import type { AlignedData, Axis, Options } from 'uplot';
import type { DayValue } from './usage-sums.ts';

const daySeconds = 86_400;
/** Distances of the labelled days. */
const dayIncrements = [1, 2, 5, 7, 14, 30, 61, 91, 182, 365, 730].map((days) => days * daySeconds);

/** Distances of the labelled values. The values are whole numbers, so there is no label between 0 and 1. */
export const decimalSteps = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();
export const timeSteps = [
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  ...decimalSteps.map((hours) => hours * 3600),
];

export const secondsOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;
export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

export const chartData = (days: readonly DayValue[]): AlignedData => [
  days.map(({ date }) => secondsOf(date)),
  days.map(({ value }) => value),
];

export type ChartLook = {
  width: number;
  height: number;
  colors: { bar: string; grid: string; label: string };
  font: string;
  valueSteps: number[];
  /** a value at the axis */
  formatValue(value: number): string;
  formatDay(date: string): string;
};

/** All but the hooks and the shape of the bars, which need the library. */
export function chartOptions(look: ChartLook): Omit<Options, 'series'> {
  const { width, height, colors, font } = look;
  const axis: Axis = { stroke: colors.label, font, ticks: { show: false }, gap: 6 };
  return {
    width,
    height,
    padding: [10, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      // Half a day at both ends, so that the first and the last bar are whole.
      x: { time: false, range: (_, min, max) => [min - daySeconds / 2, max + daySeconds / 2] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: dayIncrements,
        size: 28,
        space: 70,
        values: (_, splits) => splits.map((seconds) => look.formatDay(dateOf(seconds))),
      },
      {
        ...axis,
        grid: { stroke: colors.grid, width: 1 },
        incrs: look.valueSteps,
        size: 72,
        space: 40,
        values: (_, splits) => splits.map((value) => look.formatValue(value)),
      },
    ],
  };
}
