/** Calendar days in UTC, such as 2026-11-22, both inclusive. */
export type DateRange = { from: string; to: string };

export const rangePresets = ['7', '30', 'month', 'last-month'] as const;
export type RangePreset = (typeof rangePresets)[number];

/** What the address of the page selects: a preset, or two dates. */
export type RangeChoice = { preset: RangePreset | 'own' } & DateRange;

const dayMilliseconds = 86_400_000;
/** The API answers at most this many days at once. */
const maxDays = 366;
/** Ten years: more would be many requests, and a chart that shows nothing. */
export const longestRangeDays = 3660;

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
const millisecondsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export const today = (nowMilliseconds = Date.now()): string => dayOf(nowMilliseconds);
export const addDays = (day: string, count: number): string => dayOf(millisecondsOf(day) + count * dayMilliseconds);

export const dayCount = ({ from, to }: DateRange): number =>
  Math.round((millisecondsOf(to) - millisecondsOf(from)) / dayMilliseconds) + 1;

export const eachDay = (range: DateRange): string[] =>
  Array.from({ length: dayCount(range) }, (_, index) => addDays(range.from, index));

/** Months are UTC, as those of a quota. */
export function presetRange(preset: RangePreset, today: string): DateRange {
  const monthStart = `${today.slice(0, 7)}-01`;
  switch (preset) {
    case '7':
    case '30':
      return { from: addDays(today, 1 - Number(preset)), to: today };
    case 'month':
      return { from: monthStart, to: today };
    case 'last-month': {
      const to = addDays(monthStart, -1);
      return { from: `${to.slice(0, 7)}-01`, to };
    }
  }
}

/** True for a day of the calendar: 2026-02-30 is none. */
export const isDay = (text: string | undefined): text is string =>
  text !== undefined &&
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(millisecondsOf(text)) &&
  dayOf(millisecondsOf(text)) === text;

export type RangeFault = 'missing' | 'order' | 'length';

/** Why a range cannot be shown. Undefined if it can. */
export function rangeFault({ from, to }: DateRange): RangeFault | undefined {
  if (!isDay(from) || !isDay(to)) return 'missing';
  if (from > to) return 'order';
  return dayCount({ from, to }) > longestRangeDays ? 'length' : undefined;
}

/** The choice of an address. Without a valid one: the last 30 days. */
export function choiceOf(query: Readonly<Record<string, string>>, today: string): RangeChoice {
  const { range = '', from = '', to = '' } = query;
  if (rangeFault({ from, to }) === undefined) return { preset: 'own', from, to };
  const preset = rangePresets.find((name) => name === range) ?? '30';
  return { preset, ...presetRange(preset, today) };
}

/** The parameters of an address that select a choice. */
export const queryOf = ({ preset, from, to }: RangeChoice): Record<string, string> =>
  preset === 'own' ? { from, to } : { range: preset };

/** Ranges that the API accepts. */
export function splitRange({ from, to }: DateRange): DateRange[] {
  const ranges: DateRange[] = [];
  for (let start = from; start <= to; start = addDays(start, maxDays)) {
    const end = addDays(start, maxDays - 1);
    ranges.push({ from: start, to: end < to ? end : to });
  }
  return ranges;
}
