/** A name of 255 characters can have more; each word is an item of the index. */
const maxWords = 16;

/** Longer words are indexed, and searched, by their beginnings: the sort key of an item has 1,024 bytes. */
const maxWordCharacters = 64;

const accents = /[\u0300-\u036f]/g;
const word = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The words by which a name is found, without repetitions: letters and digits, in lower case and without accents. Marks
 * belong to words because some scripts write vowels with them.
 */
export function wordsOf(name: string): string[] {
  const plain = name.normalize('NFKD').toLowerCase().replace(accents, '');
  const words = (plain.match(word) ?? []).map((text) => [...text].slice(0, maxWordCharacters).join(''));
  return [...new Set(words)].slice(0, maxWords);
}

/** Whether each of the words is the beginning of a word of the name. */
export function hasWords(name: string, beginnings: readonly string[]): boolean {
  const words = wordsOf(name);
  return beginnings.every((beginning) => words.some((one) => one.startsWith(beginning)));
}
