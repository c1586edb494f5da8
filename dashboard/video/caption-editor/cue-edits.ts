import type { Cue } from '../../../shared/captions/cue.ts';
import { normalizeText } from '../../../shared/captions/cue-text.ts';
import { parseTimingLine } from '../../../shared/captions/web-vtt.ts';

/** A cue in the editor: its text as a person writes it, NaN for a time that cannot be read. The id never changes. */
export type EditedCue = Cue & { id: number };

type Snapshot = { cues: readonly EditedCue[]; selectedId: number | undefined };

/** The cues in order of their starts, the one that is edited, and what can be undone. */
export type Edits = Snapshot & {
  nextId: number;
  past: readonly Snapshot[];
  /** the cue and field that were changed last: further changes of it are undone with them */
  lastField: string | undefined;
};

export type CueChanges = Partial<Pick<EditedCue, 'startMs' | 'endMs' | 'text'>>;

/** What can be undone. Cues that did not change are the same objects in all of them. */
const maxPast = 100;
const addedMs = 2000;
const shortestGapMs = 500;

export const beginEdits = (cues: readonly Cue[]): Edits => ({
  cues: cues.map((cue, id) => ({ ...cue, text: writtenText(cue.text), id })),
  selectedId: cues.length === 0 ? undefined : 0,
  nextId: cues.length,
  past: [],
  lastField: undefined,
});

/**
 * The text of a cue as a person writes it: `Tom & Jerry`, where a file has `Tom &amp; Jerry`. A text that would mean
 * something else then stays as the file has it.
 */
export function writtenText(text: string): string {
  const written = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return storedText(written) === text ? written : text;
}

/** The text of a cue as a file has it. An empty line would end the cue. */
export const storedText = (written: string): string => normalizeText(written, 'vtt').replace(/\n(?:[ \t]*\n)+/g, '\n');

/** A time such as `1:02:03.5`, `2:03,5` or `3.5`; NaN for other texts. */
export function parseTime(typed: string): number {
  const time = typed.trim();
  if (/[^\d:.,]/.test(time)) return Number.NaN;
  const whole = time.includes(':') ? time : `0:${time}`;
  return parseTimingLine(`${whole} --> ${whole}`)?.startMs ?? Number.NaN;
}

export const indexOf = ({ cues, selectedId }: Snapshot): number => cues.findIndex(({ id }) => id === selectedId);

export const select = (edits: Edits, selectedId: number | undefined): Edits => ({
  ...edits,
  selectedId,
  lastField: undefined,
});

/** Selects the cue that many places behind the selected one, or the last one there is. */
export function step(edits: Edits, by: number): Edits {
  const index = Math.min(edits.cues.length - 1, Math.max(0, indexOf(edits) + by));
  return select(edits, edits.cues[index]?.id);
}

/** Changes the selected cue. It keeps its place until `settle`, so that a time can be typed. */
export function change(edits: Edits, changes: CueChanges): Edits {
  const index = indexOf(edits);
  const cue = edits.cues[index];
  if (!cue) return edits;
  const field = `${cue.id} ${Object.keys(changes).join()}`;
  const cues = edits.cues.with(index, { ...cue, ...changes });
  return field === edits.lastField ? { ...edits, cues } : { ...changed(edits, cues), lastField: field };
}

/** Moves the selected cue to the place that its start gives it. */
export function settle(edits: Edits): Edits {
  const index = indexOf(edits);
  const cue = edits.cues[index];
  if (!cue || Number.isNaN(cue.startMs)) return edits;
  const cues = inserted(edits.cues.toSpliced(index, 1), cue);
  return cues.indexOf(cue) === index ? edits : { ...edits, cues };
}

/**
 * Divides the selected cue.
 * @param at a place in its text, and a time in it. Where one is not known, it follows from the other
 */
export function split(edits: Edits, at: { offset?: number | undefined; timeMs?: number | undefined }): Edits {
  const index = indexOf(edits);
  const cue = edits.cues[index];
  if (!cue) return edits;
  const { startMs, endMs, text } = cue;
  const timeMs = at.timeMs !== undefined && at.timeMs > startMs && at.timeMs < endMs ? at.timeMs : undefined;
  const isInside = (offset: number): boolean => splitText(text, offset).every((part) => wordsIn(part));
  const chosen = at.offset !== undefined && isInside(at.offset) ? at.offset : undefined;
  const timeShare = timeMs === undefined ? 0.5 : (timeMs - startMs) / (endMs - startMs);
  const offset = chosen ?? nearestSpace(text, timeShare * text.length);
  const share = Math.min(0.9, Math.max(0.1, offset / text.length || 0.5));
  const middleMs = timeMs ?? Math.round(startMs + share * (endMs - startMs));
  const [first, second] = splitText(text, offset);
  const parts = [
    { ...cue, endMs: middleMs, text: first },
    { ...cue, startMs: middleMs, text: second, id: edits.nextId },
  ];
  return { ...changed(edits, edits.cues.toSpliced(index, 1, ...parts)), nextId: edits.nextId + 1 };
}

/** Joins the selected cue with the next one. */
export function merge(edits: Edits): Edits {
  const index = indexOf(edits);
  const [cue, next] = [edits.cues[index], edits.cues[index + 1]];
  if (!cue || !next) return edits;
  const text = [cue.text, next.text].filter((part) => part.trim() !== '').join('\n');
  const joined = { ...cue, endMs: Math.max(cue.endMs, next.endMs), text };
  return changed(edits, edits.cues.toSpliced(index, 2, joined));
}

/** Adds a cue without text at a time, or behind the cue of that time, or behind the selected one, and selects it. */
export function add(edits: Edits, timeMs?: number): Edits {
  const { cues, nextId: id } = edits;
  const covering = timeMs === undefined ? cues[indexOf(edits)] : cues[cueAt(cues, timeMs)];
  const startMs = Math.round(covering?.endMs || timeMs || 0);
  const next = cues.find((cue) => cue.startMs >= startMs);
  const hasRoom = next !== undefined && next.startMs - startMs >= shortestGapMs;
  const endMs = hasRoom ? Math.min(next.startMs, startMs + addedMs) : startMs + addedMs;
  const added = { id, startMs, endMs, settings: '', text: '' };
  return { ...changed(edits, inserted(cues, added)), selectedId: id, nextId: id + 1 };
}

/** Deletes the selected cue, and selects the next one. */
export function remove(edits: Edits): Edits {
  const index = indexOf(edits);
  if (index === -1) return edits;
  const cues = edits.cues.toSpliced(index, 1);
  return { ...changed(edits, cues), selectedId: cues[Math.min(index, cues.length - 1)]?.id };
}

export function undo(edits: Edits): Edits {
  const before = edits.past.at(-1);
  return before ? { ...edits, ...before, past: edits.past.slice(0, -1), lastField: undefined } : edits;
}

/** The index of the cue that is shown at a time, the one that began last of several; -1 for none. */
export function cueAt(cues: readonly EditedCue[], timeMs: number): number {
  let [from, to] = [0, cues.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (cues[middle]!.startMs <= timeMs) from = middle + 1;
    else to = middle;
  }
  // A long cue may have begun before others that have ended.
  for (let index = from - 1; index >= Math.max(0, from - maxOverlapping); index--) {
    if (cues[index]!.endMs > timeMs) return index;
  }
  return -1;
}

const maxOverlapping = 20;

function changed(edits: Edits, cues: readonly EditedCue[]): Edits {
  const past = [...edits.past.slice(1 - maxPast), { cues: edits.cues, selectedId: edits.selectedId }];
  return { ...edits, cues, past, lastField: undefined };
}

function inserted(cues: readonly EditedCue[], cue: EditedCue): readonly EditedCue[] {
  const index = cues.findIndex(({ startMs }) => startMs > cue.startMs);
  return cues.toSpliced(index === -1 ? cues.length : index, 0, cue);
}

const tag = /<(\/?)([a-z]+)[^<>]*>/gi;

const wordsIn = (text: string): boolean => text.replace(tag, '').trim() !== '';

/** The white space that is nearest to a place in a text; its end where it has none. */
function nearestSpace(text: string, offset: number): number {
  const spaces = [...text.matchAll(/\s+/g)].map(({ index }) => index);
  const inside = spaces.filter((index) => splitText(text, index).every(wordsIn));
  return inside.reduce(
    (best, index) => (Math.abs(index - offset) < Math.abs(best - offset) ? index : best),
    inside[0] ?? text.length,
  );
}

/** Both parts of a text, with the tags that are open between them closed in the first and opened in the second one. */
function splitText(text: string, offset: number): [string, string] {
  let at = offset;
  const open: { name: string; whole: string }[] = [];
  for (const { 0: whole, 1: slash, 2: name = '', index } of text.matchAll(tag)) {
    if (index >= at) break;
    at = Math.max(at, index + whole.length);
    const opened = open.findLastIndex((one) => one.name === name);
    if (slash === '') open.push({ name, whole });
    else if (opened !== -1) open.splice(opened, 1);
  }
  const [first, second] = [text.slice(0, at).trimEnd(), text.slice(at).trimStart()];
  // A speaker who says the whole cue needs no end tag.
  const ends = open.filter(({ name }) => second.includes(`</${name}>`)).map(({ name }) => `</${name}>`);
  return [first + ends.reverse().join(''), open.map(({ whole }) => whole).join('') + second];
}
