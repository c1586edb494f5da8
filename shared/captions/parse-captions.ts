import { captionLimits } from './caption-limits.ts';
import type { Cue } from './cue.ts';
import { type CaptionFormat, normalizeText } from './cue-text.ts';
import { parseTimingLine } from './web-vtt.ts';

/** A caption file that cannot be used. The message tells its author in one sentence what to do. */
export class CaptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CaptionError';
  }
}

/**
 * The cues of a WebVTT or SubRip file, in order of time.
 * @throws CaptionError with a sentence for the author of the file
 */
export const parseCaptions = (bytes: Uint8Array, format: CaptionFormat): Cue[] =>
  parseCaptionText(decodeText(bytes), format);

/**
 * The cues of a text. What can be repaired is: a header that is missing, cues in wrong order, unknown tags and
 * settings, missing empty lines. Cues without a readable time, without text, or that do not end after their start are
 * left out, as are styles, regions and notes.
 * @throws CaptionError when no cue is left, or when there are too many
 */
export function parseCaptionText(text: string, declared: CaptionFormat): Cue[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const hasHeader = /^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '');
  const format = hasHeader ? 'vtt' : declared;
  const cues: Cue[] = [];
  for (let index = 0; index < lines.length; index++) {
    if (!isTimingLine(lines[index])) continue;
    const end = endOfText(lines, index + 1);
    const cue = parseCue(lines[index]!, withoutCounter(lines, index + 1, end), format);
    if (cue) cues.push(cue);
    if (cues.length > captionLimits.maxCues) {
      throw new CaptionError(`The file has more than ${captionLimits.maxCues} cues: divide it.`);
    }
    index = end - 1;
  }
  if (cues.length === 0) {
    throw new CaptionError(
      'The file has no cue: a line such as 00:01.000 --> 00:04.000 and the text below it are needed.',
    );
  }
  return cues.sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

/** Whether a line is meant as the times of a cue. An arrow in the text of a cue is text. */
const isTimingLine = (line = ''): boolean => /^[ \t]*\d[\d:., \t]*-->/.test(line);

/** The text of a cue ends at an empty line, or at the next time where the empty line is missing. */
function endOfText(lines: string[], from: number): number {
  let end = from;
  while (end < lines.length && lines[end] !== '' && !isTimingLine(lines[end])) end++;
  return end;
}

/** Where the empty line before the next cue is missing, the last line is the number of that cue. */
function withoutCounter(lines: string[], from: number, end: number): string[] {
  const isFollowed = isTimingLine(lines[end]) && /^\d+\s*$/.test(lines[end - 1] ?? '');
  return lines.slice(from, isFollowed ? Math.max(from, end - 1) : end);
}

function parseCue(timing: string, lines: string[], format: CaptionFormat): Cue | undefined {
  const times = parseTimingLine(timing);
  if (!times || times.endMs <= times.startMs || times.endMs > captionLimits.maxTimeMs) return undefined;
  // The text of an empty line would end the cue.
  const text = normalizeText(lines.join('\n'), format).replace(/\n(?:[ \t]*\n)+/g, '\n');
  if (text === '') return undefined;
  const { startMs, endMs, settingsText } = times;
  return { startMs, endMs, settings: format === 'vtt' ? normalizeSettings(settingsText) : '', text };
}

const encodings = [
  { mark: [0xef, 0xbb, 0xbf], name: 'utf-8' },
  { mark: [0xff, 0xfe], name: 'utf-16le' },
  { mark: [0xfe, 0xff], name: 'utf-16be' },
] as const;

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark.
 * @throws CaptionError for other encodings: a guess would show wrong letters to viewers
 */
function decodeText(bytes: Uint8Array): string {
  const known = encodings.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  try {
    return new TextDecoder(known?.name ?? 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CaptionError(`The file is not valid ${known?.name.toUpperCase() ?? 'UTF-8'}: save it as UTF-8.`);
  }
}

const percentage = String.raw`(?:100|\d{1,2})(?:\.\d{1,3})?%`;

/** The settings of WebVTT except `region`: regions are removed. */
const settingValues: Readonly<Record<string, RegExp>> = {
  vertical: /^(rl|lr)$/,
  line: new RegExp(String.raw`^(?:-?\d{1,3}|${percentage})(?:,(?:start|center|end))?$`),
  position: new RegExp(`^${percentage}(?:,(?:line-left|center|line-right))?$`),
  size: new RegExp(`^${percentage}$`),
  align: /^(start|center|end|left|right)$/,
};

/** The cue settings that WebVTT knows, each once. Others are left out. */
function normalizeSettings(text: string): string {
  const settings = new Map<string, string>();
  for (const word of text.split(/[ \t]+/)) {
    const [name = '', value = ''] = word.split(':');
    // The name of an early draft
    const known = name === 'align' && value === 'middle' ? 'center' : value;
    if (Object.hasOwn(settingValues, name) && settingValues[name]?.test(known)) settings.set(name, known);
  }
  return [...settings].map(([name, value]) => `${name}:${value}`).join(' ');
}
