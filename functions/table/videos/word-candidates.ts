import { keys, type ListedBy, listedPosition } from '../items/keys.ts';
import { queryRangeLatest } from '../items/ranges.ts';
import type { FindCandidates } from './candidates.ts';

/** Items have about 150 bytes, so one query reads less than 0.1 MB. */
const itemsPerQuery = 500;

/** Behind a word of which enough was read: most of what a longer query reads would be of one word again. */
const itemsAfterSkip = 100;

/** Sorts after every word with the same beginning. */
const afterWords = '\u{10ffff}';

/**
 * The videos of an owner with a word that begins with a text, in their names or in their captions. The items are in
 * order of the words, then of the videos. Of each word about as many items are read as are asked for, or 100: a word of
 * every name costs little more than a rare one. A beginning of very many words, such as one digit, costs a read of an
 * item for each, and a query for each that has many videos.
 */
export const findByWord =
  (ownerUlid: string, by: Extract<ListedBy, 'WORD' | 'SPOKEN'>, beginning: string): FindCandidates =>
  async (range, limit) => {
    const sortOf = (word: string, position = ''): string => keys.listed(ownerUlid, by, word, position).sk;
    const { pk } = keys.listed(ownerUlid, by, '', '');
    const from = sortOf(beginning).slice(0, -1);
    const positions = new Map<string, string>();
    const counts = new Map<string, number>();
    let to = `${from}${afterWords}`;
    let read: string | undefined;
    for (let size = limit + 1; ; ) {
      const items = await queryRangeLatest(pk, from, to, size);
      for (const item of items) {
        const { value: word, position } = listedPosition(item);
        const count = counts.get(word) ?? 0;
        if (item.sk === read || position < range.from || position > range.to || count >= limit) continue;
        positions.set(position, String(item.ulid));
        counts.set(word, count + 1);
      }
      const last = items.at(-1);
      if (!last || items.length < size) break;
      const { value: word, position } = listedPosition(last);
      const isWordRead = position < range.from || (counts.get(word) ?? 0) >= limit;
      to = isWordRead ? sortOf(word) : position > range.to ? sortOf(word, range.to) : last.sk;
      read = last.sk;
      size = isWordRead ? Math.max(limit + 1, itemsAfterSkip) : itemsPerQuery;
    }
    const newestFirst = [...positions]
      .map(([position, ulid]) => ({ position, ulid }))
      .sort((a, b) => (a.position < b.position ? 1 : -1));
    return newestFirst.slice(0, limit);
  };

/** The candidates of several lists, each once. */
export const findInAny =
  (lists: readonly FindCandidates[]): FindCandidates =>
  async (range, limit) => {
    const found = await Promise.all(lists.map((find) => find(range, limit)));
    const positions = new Map(found.flat().map((candidate) => [candidate.position, candidate]));
    return [...positions.values()].sort((a, b) => (a.position < b.position ? 1 : -1)).slice(0, limit);
  };
