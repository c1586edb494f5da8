import * as z from 'zod';
import { day } from '../../../shared/clock.ts';

const dayMilliseconds = 24 * 3600 * 1000;
const maxDays = 366;

/** An existing calendar day, UTC. */
export const calendarDay = z
  .string()
  .refine(isCalendarDay, { params: { rule: 'date' }, abort: true })
  .meta({
    format: 'date',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    description: 'YYYY-MM-DD, a real calendar day, UTC.',
    examples: ['2026-11-20'],
  });

type Range = { from?: string | undefined; to?: string | undefined };

/** Two days in order, both included, at most 366 days. `filledRange` gives the defaults. */
export const inOrder = <Schema extends z.ZodType<Range>>(schema: Schema) =>
  schema.superRefine((range, context) => {
    const { from, to } = filledRange(range);
    const fault =
      to < from
        ? 'The to field must be a date after or equal to from.'
        : daysOf({ from, to }) > maxDays
          ? `The range must not be longer than ${maxDays} days.`
          : undefined;
    if (fault) context.addIssue({ code: 'custom', path: ['to'], message: fault });
  });

/** Defaults: `to` is today, `from` is 29 days before `to`. */
export function filledRange({ from, to = day() }: Range): { from: string; to: string } {
  return { from: from ?? day(Date.parse(to) - 29 * dayMilliseconds), to };
}

/** All days of a range, as `2026-11-20`. */
export const eachDay = (range: { from: string; to: string }): string[] =>
  Array.from({ length: daysOf(range) }, (_, index) => day(Date.parse(range.from) + index * dayMilliseconds));

const daysOf = ({ from, to }: { from: string; to: string }): number =>
  (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;

export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const milliseconds = Date.parse(text);
  return !Number.isNaN(milliseconds) && day(milliseconds) === text;
}
