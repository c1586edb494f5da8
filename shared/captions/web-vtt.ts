import type { Cue } from './cue.ts';

type CueTiming = Pick<Cue, 'startMs' | 'endMs'> & { settingsText: string };

const time = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?`;
const timingLine = new RegExp(String.raw`^[ \t]*${time}[ \t]*-->[ \t]*${time}(?:[ \t]+(\S.*))?[ \t]*$`);

/**
 * A line such as `00:01.000 --> 00:04.000 line:0`, with hours or without, and with a comma as SubRip has it. Undefined
 * when the times cannot be read.
 */
export function parseTimingLine(line: string): CueTiming | undefined {
  const match = timingLine.exec(line);
  if (!match) return undefined;
  const [startMs, endMs] = [milliseconds(match.slice(1, 5)), milliseconds(match.slice(5, 9))];
  return { startMs, endMs, settingsText: match[9] ?? '' };
}

function milliseconds([hours = '0', minutes = '0', seconds = '0', fraction = '']: (string | undefined)[]): number {
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  // `,5` is half a second.
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}

/** `01:02:03.004` */
export function formatCueTime(timeMs: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const seconds = Math.floor(timeMs / 1000);
  const fraction = String(timeMs % 1000).padStart(3, '0');
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${fraction}`;
}

/** A WebVTT file. `header` has lines of its header, such as the time map of HLS. */
export const serializeWebVtt = (cues: readonly Cue[], header: readonly string[] = []): string =>
  ['WEBVTT', ...header, '', ...cues.map(serializeCue)].join('\n');

/** One cue with the empty line behind it. */
export function serializeCue({ startMs, endMs, settings, text }: Cue): string {
  const timing = `${formatCueTime(startMs)} --> ${formatCueTime(endMs)}`;
  return `${settings === '' ? timing : `${timing} ${settings}`}\n${text}\n`;
}
