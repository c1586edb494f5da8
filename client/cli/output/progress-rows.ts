import { formatBytes, formatSeconds, printable } from './text.ts';

/** One bar: `share` is from 0 to 1, `note` follows it. */
export type ProgressRow = { label: string; share: number; note: string };

const barColumns = 24;
const maxLabelColumns = 32;

/** The lines of all bars. None is wider than the terminal, and there are no more of them than `maxRows`. */
export function renderRows(rows: readonly ProgressRow[], columns: number, maxRows: number): string[] {
  const shown = rows.length > maxRows ? rows.slice(0, Math.max(0, maxRows - 1)) : rows;
  const width = Math.min(maxLabelColumns, Math.max(0, ...shown.map(({ label }) => printable(label).length)));
  const lines = shown.map(({ label, share, note }) => {
    const filled = Math.round(Math.min(1, Math.max(0, share)) * barColumns);
    const bar = '█'.repeat(filled) + '░'.repeat(barColumns - filled);
    const percent = `${Math.floor(share * 100)}%`.padStart(4);
    return `${fitted(printable(label), width)} ${bar} ${percent}  ${printable(note)}`.trimEnd();
  });
  if (shown.length < rows.length) lines.push(`… and ${rows.length - shown.length} more`);
  // A line in the last column would wrap on some terminals.
  return lines.map((line) => [...line].slice(0, Math.max(1, columns - 1)).join(''));
}

/** A long name keeps its end, where file names differ. */
const fitted = (label: string, width: number): string =>
  label.length > width ? `…${label.slice(label.length - width + 1)}` : label.padEnd(width);

/** Speed and remaining time of an upload. `sentBytes` are those since `sinceMs`. */
export function uploadNote({ sentBytes, leftBytes, tookMs }: { sentBytes: number; leftBytes: number; tookMs: number }) {
  if (sentBytes === 0 || tookMs < 1000) return 'uploading';
  const bytesPerSecond = (sentBytes * 1000) / tookMs;
  return `${formatBytes(bytesPerSecond)}/s, ${formatSeconds(leftBytes / bytesPerSecond)} left`;
}
