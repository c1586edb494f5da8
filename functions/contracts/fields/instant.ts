import * as z from 'zod';
import { now, timestamp } from '../../../shared/clock.ts';
import { isCalendarDay } from './date-range.ts';
import { publishedAs } from './fields.ts';

const dayMilliseconds = 24 * 3600 * 1000;

/** A day, or an instant with its offset from UTC. */
const form = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * An instant in a query string, in milliseconds since 1970. A day without a time stands for its `start` or its `end`,
 * UTC. An instant before 1970 becomes the start of 1970.
 */
export const queryInstant = (edge: 'start' | 'end') =>
  z
    .string()
    .refine((text) => millisecondsOf(text, edge) !== undefined, {
      params: { rule: 'date' },
      abort: true,
    })
    .transform((text) => Math.max(0, millisecondsOf(text, edge)!))
    .meta(
      publishedAs({
        type: 'string',
        description: `A day (UTC) or an ISO 8601 instant with its offset, included. A day without a time means its ${edge}.`,
        examples: ['2026-11-20', '2026-11-20T10:00:00Z'],
      }),
    );

/** A future instant in a body, as the service stores instants. */
export const futureInstant = z
  .string()
  .refine((sent) => millisecondsOf(sent, 'start') !== undefined, { params: { rule: 'date' }, abort: true })
  .transform((sent) => millisecondsOf(sent, 'start')!)
  .refine((milliseconds) => milliseconds > now(), {
    error: (issue) => ({
      message: `The ${String(issue.path?.at(-1)).replaceAll('_', ' ')} field must be in the future.`,
    }),
  })
  .transform((milliseconds) => timestamp(milliseconds))
  .meta(publishedAs({ type: 'string', format: 'date-time' }));

function millisecondsOf(text: string, edge: 'start' | 'end'): number | undefined {
  const [, day, time] = form.exec(text) ?? [];
  if (day === undefined || !isCalendarDay(day)) return undefined;
  const milliseconds = Date.parse(text);
  if (Number.isNaN(milliseconds)) return undefined;
  return time === undefined && edge === 'end' ? milliseconds + dayMilliseconds - 1 : milliseconds;
}
