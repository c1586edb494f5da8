import type { Cue } from '../../shared/captions/cue.ts';
import { formatCueTime } from '../../shared/captions/web-vtt.ts';

/** What is said or written in captions, one line for each cue with its time: `[00:00:01.000] Guten Morgen!` */
export const transcriptText = (cues: readonly Cue[]): string =>
  cues.map(({ startMs, text }) => `[${formatCueTime(startMs)}] ${plainText(text)}\n`).join('');

const references: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  lrm: '\u200e',
  rlm: '\u200f',
};

/** The text of a cue without tags, with the characters that its references stand for, in one line. */
export const plainText = (text: string): string =>
  text
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (all, decimal, hexadecimal, name) =>
      name === undefined
        ? characterOf(Number.parseInt(decimal ?? hexadecimal, decimal ? 10 : 16), all)
        : (references[name] ?? all),
    )
    .replace(/\s+/g, ' ')
    .trim();

const characterOf = (code: number, otherwise: string): string =>
  code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : otherwise;
