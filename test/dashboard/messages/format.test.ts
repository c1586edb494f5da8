import { afterEach, expect, test } from 'vitest';
import {
  formatAgo,
  formatBitrate,
  formatBytes,
  formatCost,
  formatCpuRange,
  formatCpuTime,
  formatDay,
  formatDuration,
  formatMonth,
} from '../../../dashboard/messages/format.ts';
import { language } from '../../../dashboard/messages/messages.ts';

afterEach(() => {
  language.value = 'en';
});

test.for([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '2 kB'],
  [12_345_678, '12.3 MB'],
  [5e18, '5,000 PB'],
])('%d bytes', ([bytes, shown]) => {
  expect(formatBytes(bytes as number)).toBe(shown);
});

test('numbers are in the language of the user', () => {
  language.value = 'de';
  expect(formatBytes(12_345_678)).toBe('12,3 MB');
});

test.for([
  [0, '0:00'],
  [7.4, '0:07'],
  [754, '12:34'],
  [3723, '1:02:03'],
])('a duration of %d s', ([seconds, shown]) => {
  expect(formatDuration(seconds as number)).toBe(shown);
});

test('a bitrate is in kbit/s or Mbit/s', () => {
  expect(formatBitrate(128_000)).toBe('128 kbit/s');
  expect(formatBitrate(4_500_000)).toBe('4.5 Mbit/s');
});

test('recent times are relative', () => {
  const now = Date.parse('2026-11-22T12:00:00Z');
  expect(formatAgo('2026-11-22T11:57:00.000000Z', now)).toBe('3 minutes ago');
  expect(formatAgo('2026-11-21T12:00:00Z', now)).toBe('yesterday');
});

test.for([
  [0, '0 sec'],
  [59, '59 sec'],
  [90, '1.5 min'],
  [7_200, '2 hr'],
])('CPU time of %d s', ([seconds, shown]) => {
  expect(formatCpuTime(seconds as number)).toBe(shown);
});

test('ranges are in one unit', () => {
  expect(formatCpuRange({ min: 30, max: 120 })).toBe('0.5–2 min');
  expect(formatCpuRange({ min: 360, max: 3600 })).toBe('6–60 min');
  expect(formatCost({ currency: 'USD', min: 0.01234, max: 0.0567 })).toMatch(/^\$0.012\s?–\s?\$0.057$/);
  expect(formatCost({ currency: 'USD', min: 0.02, max: 0.02 })).toBe('$0.02');
});

test('days and months are UTC', () => {
  expect(formatDay('2026-03-01')).toBe('Mar 1');
  expect(formatMonth('2026-03')).toBe('March 2026');
});
