import { expect, test } from 'vitest';
import {
  chartData,
  chartOptions,
  dateOf,
  decimalSteps,
  secondsOf,
  timeSteps,
} from '../../../dashboard/usage/chart-options.ts';

test('days are seconds for the library, and come back as days', () => {
  const [seconds, values] = chartData([
    { date: '2026-11-21', value: 3 },
    { date: '2026-11-22', value: 5 },
  ]);
  expect(Array.from(seconds).map((second) => dateOf(second))).toEqual(['2026-11-21', '2026-11-22']);
  expect(values).toEqual([3, 5]);
  expect(secondsOf('1970-01-02')).toBe(86_400);
});

test('labels of values are at whole numbers, labels of time at whole minutes and hours', () => {
  expect(decimalSteps.slice(0, 6)).toEqual([1, 2, 5, 10, 20, 50]);
  expect(timeSteps).toContain(900);
  expect(timeSteps).toContain(7200);
  expect(timeSteps).not.toContain(5000);
});

test('the axes are labelled in the words of the page', () => {
  const { axes } = chartOptions({
    width: 300,
    height: 200,
    font: '12px sans-serif',
    valueSteps: decimalSteps,
    colors: { bar: 'red', grid: 'grey', label: 'black' },
    formatValue: (value) => `${value} B`,
    formatDay: (date) => `day ${date}`,
  });
  const labels = (axis: number, splits: number[]) =>
    (axes![axis]!.values as unknown as (self: null, splits: number[]) => string[])(null, splits);
  expect(labels(0, [secondsOf('2026-11-22')])).toEqual(['day 2026-11-22']);
  expect(labels(1, [0, 5])).toEqual(['0 B', '5 B']);
});
