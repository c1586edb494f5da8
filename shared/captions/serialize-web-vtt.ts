import type { Cue } from './cue.ts';
import { formatCueTime } from './cue-times.ts';

/** A WebVTT file. `header` has lines of its header, such as the time map of HLS. */
export const serializeWebVtt = (cues: readonly Cue[], header: readonly string[] = []): string =>
  ['WEBVTT', ...header, '', ...cues.map(serializeCue)].join('\n');

/** One cue with the empty line behind it. */
export function serializeCue({ startMs, endMs, settings, text }: Cue): string {
  const timing = `${formatCueTime(startMs)} --> ${formatCueTime(endMs)}`;
  return `${settings === '' ? timing : `${timing} ${settings}`}\n${text}\n`;
}
