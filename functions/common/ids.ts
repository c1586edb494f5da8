import { monotonicFactory } from 'ulid';
import { chosen } from './keyed-request.ts';

const nextUlid = monotonicFactory();

/** A new ULID: 26 characters that sort by time, also within one millisecond of one process. */
export const newUlid = (): string => chosen('ulid', () => nextUlid());

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** The ULID in its canonical upper case, or undefined when the text is not one. */
export function parseUlid(text: string): string | undefined {
  const upper = text.toUpperCase();
  return ulidPattern.test(upper) ? upper : undefined;
}
