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
export const wordsOf = (name: string): string[] => firstWords([name], { most: maxWords, minCharacters: 1 });

/**
 * Whether each of the words is the beginning of a word of the name.
 * @param spoken words of captions, of which each may begin with it as well
 */
export function hasWords(name: string, beginnings: readonly string[], spoken: readonly string[] = []): boolean {
  const words = wordsOf(name);
  return beginnings.every(
    (beginning) =>
      words.some((one) => one.startsWith(beginning)) ||
      (isTranscriptWord(beginning) && spoken.some((one) => one.startsWith(beginning))),
  );
}

/** Shorter words are too many, and say too little. */
const minTranscriptCharacters = 3;

/** The words by which a video is found for what its captions say, the first ones of their texts. */
export const transcriptWordsOf = (texts: Iterable<string>): string[] =>
  firstWords(texts, { most: maxTranscriptWords, minCharacters: minTranscriptCharacters });

/** Each is an item of the index. */
export const maxTranscriptWords = 1000;

/** Whether a text can be the beginning of such a word, and not of very many. */
export const isTranscriptWord = (text: string): boolean => [...text].length >= minTranscriptCharacters;

/** The texts are read as far as they are needed. */
function firstWords(
  texts: Iterable<string>,
  { most, minCharacters }: { most: number; minCharacters: number },
): string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [all] of plainText(text).matchAll(word)) {
      const characters = [...all];
      if (characters.length >= minCharacters) found.add(characters.slice(0, maxWordCharacters).join(''));
      if (found.size === most) return [...found];
    }
  }
  return [...found];
}

const plainText = (text: string): string => text.normalize('NFKD').toLowerCase().replace(accents, '');
