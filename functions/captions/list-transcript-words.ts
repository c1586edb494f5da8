import { readEnvironment } from '../../shared/environment.ts';
import { readObject } from '../aws/object-store.ts';
import { parseCaptions } from '../caption-formats/parse-captions.ts';
import { maxTranscriptWords, transcriptWordsOf } from '../common/name-words.ts';
import type { Video } from '../table/records.ts';
import type { VideoCaptions } from '../table/videos/caption-table.ts';
import { changeTranscriptWords, findListedWords } from '../table/videos/transcript-words.ts';
import { plainText } from './transcript-text.ts';

/**
 * Lists a video by the first words of its captions, those that were added first in front. Where captions are not
 * searched, words of an earlier time are removed. Nothing is read or written when they are listed already. False when
 * the video or its captions changed meanwhile.
 */
export async function listTranscriptWords(video: Video, captions: VideoCaptions): Promise<boolean> {
  const isSearched = readEnvironment('TRANSCRIPT_SEARCH');
  const known = await findListedWords(video.ulid);
  if (!known && !isSearched) return true;
  if (known?.captionsVersion === captions.version && known.ownerUlid === video.ownerUlid) return true;
  const words = isSearched ? await firstWords(captions) : [];
  return changeTranscriptWords(video, captions.version, words, known);
}

/** The files are read one after the other, until there are enough words. */
async function firstWords({ captions }: VideoCaptions): Promise<string[]> {
  const inOrder = captions.toSorted((a, b) => (a.ulid < b.ulid ? -1 : 1));
  let words: string[] = [];
  for (const { key } of inOrder) {
    if (key === null) continue;
    const cues = parseCaptions(await readObject(key), 'vtt');
    words = transcriptWordsOf([...words, ...cues.map(({ text }) => plainText(text))]);
    if (words.length === maxTranscriptWords) break;
  }
  return words;
}
