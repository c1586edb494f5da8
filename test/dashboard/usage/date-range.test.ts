import { expect, test } from 'vitest';
import {
  choiceOf,
  dayCount,
  eachDay,
  isDay,
  presetRange,
  queryOf,
  rangeFault,
  splitRange,
  today,
} from '../../../dashboard/usage/date-range.ts';

const now = '2026-03-05';

test.each([
  ['7', '2026-02-27', '2026-03-05'],
  ['30', '2026-02-04', '2026-03-05'],
  ['month', '2026-03-01', '2026-03-05'],
  ['last-month', '2026-02-01', '2026-02-28'],
] as const)('the preset %s goes from %s to %s', (preset, from, to) => {
  expect(presetRange(preset, now)).toEqual({ from, to });
});

test('last month of January is December of the year before', () => {
  expect(presetRange('last-month', '2026-01-31')).toEqual({ from: '2025-12-01', to: '2025-12-31' });
});

test('today is a day in UTC', () => {
  expect(today(Date.parse('2026-03-05T23:30:00-05:00'))).toBe('2026-03-06');
});

test.each(['2026-02-28', '2028-02-29'])('%s is a day', (text) => expect(isDay(text)).toBe(true));
test.each(['2026-02-30', '2026-2-3', '', undefined, '2026-13-01', '20260228', '2026-02-28x'])('%s is no day', (text) =>
  expect(isDay(text)).toBe(false),
);

test.each([
  [{ from: '2026-03-05', to: '2026-03-05' }, undefined],
  [{ from: '', to: '2026-03-05' }, 'missing'],
  [{ from: '2026-03-06', to: '2026-03-05' }, 'order'],
  [{ from: '2010-01-01', to: '2026-03-05' }, 'length'],
] as const)('%o has the fault %s', (range, fault) => {
  expect(rangeFault(range)).toBe(fault);
});

test.each([
  [{}, { preset: '30', from: '2026-02-04', to: '2026-03-05' }],
  [{ range: 'month' }, { preset: 'month', from: '2026-03-01', to: '2026-03-05' }],
  [{ range: 'nonsense' }, { preset: '30', from: '2026-02-04', to: '2026-03-05' }],
  [
    { from: '2025-01-01', to: '2025-01-31' },
    { preset: 'own', from: '2025-01-01', to: '2025-01-31' },
  ],
  [
    { from: '2025-02-30', to: '2025-03-31', range: '7' },
    { preset: '7', from: '2026-02-27', to: '2026-03-05' },
  ],
])('the address %o selects %o', (query, choice) => {
  expect(choiceOf(query as Record<string, string>, now)).toEqual(choice);
});

test('a choice is in the address and comes back from it', () => {
  for (const preset of ['7', '30', 'month', 'last-month'] as const) {
    const choice = { preset, ...presetRange(preset, now) };
    expect(choiceOf(queryOf(choice), now)).toEqual(choice);
  }
  const own = { preset: 'own', from: '2024-05-01', to: '2025-06-30' } as const;
  expect(choiceOf(queryOf(own), now)).toEqual(own);
});

test('a range is split into parts of 366 days that have every day once', () => {
  const range = { from: '2023-01-01', to: '2026-03-05' };
  const parts = splitRange(range);
  expect(parts.length).toBe(4);
  expect(Math.max(...parts.map(dayCount))).toBe(366);
  expect(parts.flatMap(eachDay)).toEqual(eachDay(range));
  expect(splitRange({ from: now, to: now })).toEqual([{ from: now, to: now }]);
});
