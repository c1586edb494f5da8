import { captionLimits } from '../../../shared/captions/caption-limits.ts';
import type { Cue } from '../../../shared/captions/cue.ts';
import { parseCaptionText } from '../../../shared/captions/parse-captions.ts';
import { serializeWebVtt } from '../../../shared/captions/web-vtt.ts';
import { type EditedCue, storedText } from './cue-edits.ts';

/** Why a cue cannot be stored. The service would leave such a cue out. */
export type CueFault = 'noStart' | 'noEnd' | 'endBeforeStart' | 'tooLate' | 'noText';
/** Why a file cannot be stored. */
export type FileFault = 'noCue' | 'tooManyCues' | 'tooLarge';
/** What may be meant, but is seldom right. */
export type CueWarning = 'overlaps' | 'afterEnd';

/** A cue that did not change is not examined again. */
const known = new WeakMap<EditedCue, readonly CueFault[]>();

export function faultsOf(cue: EditedCue): readonly CueFault[] {
  const found = known.get(cue) ?? examine(cue);
  known.set(cue, found);
  return found;
}

function examine({ startMs, endMs, text }: EditedCue): CueFault[] {
  const faults: CueFault[] = [];
  if (Number.isNaN(startMs)) faults.push('noStart');
  if (Number.isNaN(endMs)) faults.push('noEnd');
  if (endMs <= startMs) faults.push('endBeforeStart');
  if (endMs > captionLimits.maxTimeMs) faults.push('tooLate');
  if (storedText(text) === '') faults.push('noText');
  return faults;
}

/** @param durationMs of the video; undefined where it is not known */
export function warningsOf(cue: EditedCue, next: EditedCue | undefined, durationMs: number | undefined): CueWarning[] {
  const warnings: CueWarning[] = [];
  if (next !== undefined && next.startMs < cue.endMs) warnings.push('overlaps');
  if (durationMs !== undefined && cue.startMs >= durationMs) warnings.push('afterEnd');
  return warnings;
}

/** A cue without faults as a file has it. */
const storedCue = ({ startMs, endMs, settings, text }: EditedCue): Cue => ({
  startMs,
  endMs,
  settings,
  text: storedText(text),
});

/** The WebVTT file of cues, without those that have faults. */
export const fileOf = (cues: readonly EditedCue[]): string =>
  serializeWebVtt(cues.filter((cue) => faultsOf(cue).length === 0).map(storedCue));

export function faultOfFile(cues: readonly EditedCue[], file: string): FileFault | undefined {
  if (cues.length === 0) return 'noCue';
  if (cues.length > captionLimits.maxCues) return 'tooManyCues';
  return new TextEncoder().encode(file).length > captionLimits.maxFileBytes ? 'tooLarge' : undefined;
}

/** Whether two files have the same cues. */
export const isSameFile = (one: string, other: string): boolean =>
  one === other || serializeWebVtt(parseCaptionText(one, 'vtt')) === serializeWebVtt(parseCaptionText(other, 'vtt'));
