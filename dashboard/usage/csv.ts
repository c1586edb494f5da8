import { saveFile } from '../components/save-file.ts';

export type CsvValue = string | number | null;

/** Lines of comma-separated values as in RFC 4180. */
export const csv = (rows: readonly (readonly CsvValue[])[]): string =>
  rows.map((row) => `${row.map(field).join(',')}\r\n`).join('');

const field = (value: CsvValue): string => {
  if (typeof value === 'number') return String(value);
  const text = withoutFormula(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * A spreadsheet calculates a text that starts like a formula, and user ids come from strangers. The apostrophe makes it
 * a text.
 */
const withoutFormula = (text: string): string => (/^[\s]*[=+\-@＝＋－＠]|^[\t\r\n]/.test(text) ? `'${text}` : text);

/** Downloads a text as a file, in UTF-8 with the mark that spreadsheets need to recognise it. */
export function downloadCsv(name: string, content: string): void {
  saveFile(name, 'text/csv;charset=utf-8', `\uFEFF${content}`);
}
