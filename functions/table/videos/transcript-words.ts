import { tryTransact } from '../items/conditional.ts';
import { getItem, getItems, type Write, writeBatch } from '../items/items.ts';
import { type Key, keys, ulidIn } from '../items/keys.ts';
import { type TranscriptWords, transcriptWordsRecord, type Video } from '../records.ts';
import { videoPosition } from '../writes/video-writes.ts';

type ListedVideo = Pick<Video, 'ulid' | 'ownerUlid' | 'createdAt'>;

/** The words of captions by which a video is listed. Undefined when it was never listed by any. */
export const findListedWords = (videoUlid: string): Promise<TranscriptWords | undefined> =>
  getItem(transcriptWordsRecord, keys.transcriptWords(videoUlid));

/** The same for several videos, by their ULIDs. */
export async function findTranscriptWords(videoUlids: readonly string[]): Promise<Map<string, readonly string[]>> {
  const items = await getItems(videoUlids.map((ulid) => keys.transcriptWords(ulid)));
  return new Map(items.map((item) => [ulidIn(item), transcriptWordsRecord.parse(item).words]));
}

/** A transaction has 100 items: the words, their record, and checks of the video and of its captions. */
const wordsPerTransaction = 97;

/**
 * Lists a video by the words of its captions, in place of earlier ones. Only words that are added or removed are
 * written, in transactions which change the record that says what is listed: a call that dies is continued from there.
 * Words in the lists of a former owner are removed first. False when the captions, the owner or the record changed
 * after they were read, or the video was deleted.
 */
export async function changeTranscriptWords(
  video: ListedVideo,
  captionsVersion: number,
  words: readonly string[],
  known: TranscriptWords | undefined,
): Promise<boolean> {
  let state = known ?? { ownerUlid: video.ownerUlid, words: [], captionsVersion: null, revision: 0 };
  for (;;) {
    const { next, changes } = nextStep(video, state, { captionsVersion, words });
    const { revision } = state;
    const isDone = await tryTransact([
      { check: keys.video(video.ulid), when: { equals: { ownerUlid: video.ownerUlid }, absent: ['deletedAt'] } },
      { check: keys.captionsVersion(video.ulid), when: { equals: { version: captionsVersion } } },
      {
        put: { ...keys.transcriptWords(video.ulid), kind: 'transcript-words', ...next },
        when: revision === 0 ? { exists: false } : { equals: { revision } },
      },
      ...changes,
    ]);
    if (!isDone || next.captionsVersion !== null) return isDone;
    state = next;
  }
}

/** As many changes as a transaction takes, and the record after them. */
function nextStep(
  video: ListedVideo,
  { ownerUlid, words: present, revision }: TranscriptWords,
  wanted: { captionsVersion: number; words: readonly string[] },
): { next: TranscriptWords; changes: Write[] } {
  const isFormer = ownerUlid !== video.ownerUlid && present.length > 0;
  const target = new Set(isFormer ? [] : wanted.words);
  const listed = new Set(present);
  const removed = present.filter((word) => !target.has(word)).slice(0, wordsPerTransaction);
  const added = [...target].filter((word) => !listed.has(word)).slice(0, wordsPerTransaction - removed.length);
  for (const word of removed) listed.delete(word);
  for (const word of added) listed.add(word);
  const isComplete = !isFormer && listed.size === target.size && [...target].every((word) => listed.has(word));
  const owner = isFormer ? ownerUlid : video.ownerUlid;
  const next = {
    ownerUlid: owner,
    words: [...listed],
    captionsVersion: isComplete ? wanted.captionsVersion : null,
    revision: revision + 1,
  };
  const changes = [
    ...removed.map((word): Write => ({ delete: spokenKey(video, owner, word) })),
    ...added.map(
      (word): Write => ({
        put: { ...spokenKey(video, owner, word), kind: 'listed', ulid: video.ulid },
      }),
    ),
  ];
  return { next, changes };
}

/** Takes a deleted video out of the lists by words of its captions. A call that dies is repeated. */
export async function unlistTranscript(video: ListedVideo): Promise<void> {
  const known = await findListedWords(video.ulid);
  if (!known) return;
  const { ownerUlid, words } = known;
  await writeBatch(words.map((word) => ({ delete: spokenKey(video, ownerUlid, word) })));
  await writeBatch([{ delete: keys.transcriptWords(video.ulid) }]);
}

const spokenKey = (video: ListedVideo, ownerUlid: string, word: string): Key =>
  keys.listed(ownerUlid, 'SPOKEN', word, videoPosition(video));
