import type { Cue } from '../../../shared/captions/cue.ts';
import type { Word } from '../../../shared/protocol/jobs.ts';

/** Limits that broadcasters have for captions, which have two lines. */
const lineCharacters = 42;
const shortestMs = 1_000;
const longestMs = 7_000;
/** of one viewer who reads */
const charactersPerSecond = 17;
/** A pause that ends a cue. */
const pauseMs = 800;
/** After the last word a cue stays for so long where nothing follows. */
const lingerMs = 300;

/** Captions of words with times: at most two lines, divided where a sentence, a clause or a pause ends. */
export function speechCues(words: readonly Word[]): Cue[] {
  const groups: Word[][] = [];
  let group: Word[] = [];
  for (const word of words) {
    if (group.length > 0 && !fits(group, word)) {
      const [done, rest] = divide(group, word);
      groups.push(done);
      group = rest;
    }
    group.push(word);
    if (endsSentence(group)) {
      groups.push(group);
      group = [];
    }
  }
  if (group.length > 0) groups.push(group);
  return timed(joinShort(groups));
}

const textOf = (group: readonly Word[]): string =>
  group
    .map(({ text }) => text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();

function fits(group: readonly Word[], word: Word): boolean {
  const [first, last] = [group[0]!, group.at(-1)!];
  if (word.startMs - last.endMs >= pauseMs || word.endMs - first.startMs > longestMs) return false;
  return lines(textOf([...group, word])) !== undefined;
}

/** Before a word that does not fit: behind the last clause, if that leaves enough before it. */
function divide(group: Word[], next: Word): [Word[], Word[]] {
  const isPause = next.startMs - group.at(-1)!.endMs >= pauseMs;
  const clause = isPause ? -1 : group.findLastIndex(({ text }) => /[,;:–—،、，]$/.test(text));
  const at = clause + 1 >= group.length / 2 ? clause + 1 : group.length;
  return [group.slice(0, at), group.slice(at)];
}

const endsSentence = (group: readonly Word[]): boolean => {
  const last = group.at(-1)!;
  return /[.!?…。！？؟]["'”»)]*$/.test(last.text) && textOf(group).length >= lineCharacters / 2;
};

/** Joins a group with the next one where both fit into one cue and nobody pauses between: short sentences flicker. */
function joinShort(groups: Word[][]): Word[][] {
  const joined: Word[][] = [];
  for (const group of groups) {
    const before = joined.at(-1);
    const isShort = before && (before.at(-1)!.endMs - before[0]!.startMs < shortestMs || group.length < 2);
    if (before && isShort && group.every((word, at) => fits([...before, ...group.slice(0, at)], word))) {
      before.push(...group);
    } else joined.push([...group]);
  }
  return joined;
}

/** A cue is shown while it is spoken, and longer where the text needs time to be read and no other cue follows. */
function timed(groups: readonly Word[][]): Cue[] {
  return groups.flatMap((group, position): Cue[] => {
    const text = textOf(group);
    if (text === '') return [];
    const startMs = group[0]!.startMs;
    const spokenMs = group.at(-1)!.endMs + lingerMs - startMs;
    const readMs = (text.length / charactersPerSecond) * 1000;
    const wantedMs = Math.min(longestMs, Math.max(shortestMs, spokenMs, readMs));
    const nextMs = groups[position + 1]?.[0]?.startMs ?? Number.POSITIVE_INFINITY;
    const endMs = Math.max(startMs + 1, Math.min(startMs + Math.round(wantedMs), nextMs));
    const shown = (lines(text) ?? [text]).map(escaped);
    return [{ startMs, endMs, settings: '', text: shown.join('\n') }];
  });
}

/** The text in at most two lines, as equal as words allow. Undefined when it is too long. */
function lines(text: string): string[] | undefined {
  if (text.length <= lineCharacters) return [text];
  const middle = text.length / 2;
  const gaps = [...text.matchAll(/ /g)].map(({ index }) => ({ end: index, start: index + 1 }));
  // Chinese and Japanese have no spaces.
  const all = gaps.length > 0 ? gaps : [{ end: Math.ceil(middle), start: Math.ceil(middle) }];
  const possible = all.filter(({ end, start }) => end <= lineCharacters && text.length - start <= lineCharacters);
  const best = possible.toSorted((a, b) => Math.abs(a.end - middle) - Math.abs(b.end - middle))[0];
  return best && [text.slice(0, best.end), text.slice(best.start)];
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
