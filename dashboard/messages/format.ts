import { language } from './messages.ts';

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(language.value, options).format(value);

/** @param share from 0 to 1 */
export const formatPercent = (share: number): string =>
  formatNumber(share, { style: 'percent', maximumFractionDigits: 0 });

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

export function formatBytes(bytes: number): string {
  const power = Math.min(bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3), byteUnits.length - 1);
  return formatNumber(bytes / 1000 ** power, {
    style: 'unit',
    unit: byteUnits[power]!,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power < 2 ? 0 : 1,
  });
}

export const formatBitrate = (bitsPerSecond: number): string =>
  bitsPerSecond >= 1e6
    ? `${formatNumber(bitsPerSecond / 1e6, { maximumFractionDigits: 1 })} Mbit/s`
    : `${formatNumber(bitsPerSecond / 1000, { maximumFractionDigits: 0 })} kbit/s`;

/** As on a clock: 0:07, 12:34, 1:02:03. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${twoDigits(whole % 60)}` : `${minutes}:${twoDigits(whole % 60)}`;
}

/** An amount of computing time: 6 sec, 12.5 min, 3.4 hr. */
export const formatCpuTime = (seconds: number): string => formatCpuRange({ min: seconds, max: seconds });

/** An amount of watched time, in the same units. */
export const formatWatchTime = formatCpuTime;

type Range = { min: number; max: number };

/** From the least to the most computing time, in the unit of the middle: 6–60 min. */
export function formatCpuRange({ min, max }: Range): string {
  const middle = Math.sqrt(min * max);
  const [unit, size] =
    middle < 60 ? (['second', 1] as const) : middle < 3600 ? (['minute', 60] as const) : (['hour', 3600] as const);
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 } as const;
  return formatRange(min / size, max / size, options);
}

/** Two digits are as exact as an estimate is. */
export const formatCost = ({ min, max, currency }: Range & { currency: string }): string =>
  formatRange(min, max, { style: 'currency', currency, maximumSignificantDigits: 2 });

const formatRange = (min: number, max: number, options: Intl.NumberFormatOptions): string =>
  min === max ? formatNumber(min, options) : new Intl.NumberFormat(language.value, options).formatRange(min, max);

/** @param time ISO 8601 */
export const formatDateTime = (time: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

/** With seconds, for events that follow each other closely. */
export const formatInstant = (time: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time));

export const formatMilliseconds = (milliseconds: number): string =>
  formatNumber(milliseconds, { style: 'unit', unit: 'millisecond' });

/** @param date ISO 8601, such as 2026-11-22 */
export const formatDate = (date: string): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

/** The day and month of a date, for an axis. */
export const formatDay = (date: string): string =>
  new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(date));

/** @param month such as 2026-11 */
export const formatMonth = (month: string): string =>
  new Intl.DateTimeFormat(language.value, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(month));

const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** "3 minutes ago", for times within a week; else the date. */
export function formatAgo(time: string, now = Date.now()): string {
  const seconds = Math.round((new Date(time).getTime() - now) / 1000);
  if (Math.abs(seconds) > 7 * 86_400) return formatDateTime(time);
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? steps[3];
  return new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

/** A length of time in words, rounded: "3 minutes" for 200 s. */
export function formatSpan(seconds: number): string {
  const [unit, size] = steps.find(([, size]) => seconds >= size) ?? steps[3];
  return formatLong(Math.round(seconds / size), unit);
}

/** A length of time in the largest unit of which it is a multiple: "2 minutes", but "90 seconds". */
export function formatExactSpan(seconds: number): string {
  const [unit, size] = steps.find(([, size]) => seconds >= size && seconds % size === 0) ?? steps[3];
  return formatLong(seconds / size, unit);
}

const formatLong = (value: number, unit: string): string =>
  formatNumber(value, { style: 'unit', unit, unitDisplay: 'long' });
