/** A part of a log: its lines, and how many lines were before the first of them. */
export type LogLines = { log: string; lines: readonly string[]; skipped: number };

export const emptyLog: LogLines = { log: '', lines: [], skipped: 0 };

/** How much of the beginning of a log identifies its place in an earlier part. */
const markLength = 200;

/**
 * The lines of a log that has grown. The service keeps the end of a log only, so its beginning may be missing; the
 * numbers of the lines stay, so that only new lines are rendered and read out.
 */
export function withLog(before: LogLines, log: string): LogLines {
  if (log === before.log) return before;
  const lines = (log.endsWith('\n') ? log.slice(0, -1) : log).split('\n');
  const mark = log.slice(0, markLength);
  const start = mark === '' ? -1 : before.log.indexOf(mark);
  const dropped = start < 0 ? '' : before.log.slice(0, start);
  return { log, lines: log === '' ? [] : lines, skipped: start < 0 ? 0 : before.skipped + countLines(dropped) };
}

const countLines = (text: string): number => text.split('\n').length - 1;
