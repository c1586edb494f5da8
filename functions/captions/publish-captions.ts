import { parseCaptions } from '../../shared/captions/parse-captions.ts';
import { readEnvironment } from '../../shared/environment.ts';
import { isSegmented } from '../../shared/media/output-formats.ts';
import { readObject } from '../aws/object-store.ts';
import { maxTranscriptWords, transcriptWordsOf } from '../common/name-words.ts';
import { rebuildManifests } from '../packaging/build-output.ts';
import { manifestsOfOutput } from '../packaging/output-files.ts';
import type { Output, Video } from '../table/records.ts';
import { replaceManifests } from '../table/stream-edits/rebuilt-outputs.ts';
import { findCaptions, markCaptionsPublished, type VideoCaptions } from '../table/videos/caption-table.ts';
import { changeTranscriptWords, findListedWords } from '../table/videos/transcript-words.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { plainText } from './transcript-text.ts';

/** Other calls that change captions or outputs at the same time make an attempt fail. */
const maxAttempts = 20;

/**
 * Makes the manifests of the completed outputs list the present captions of their video, and the video found by their
 * words. Outputs that are being encoded are built with them later. Reconciliation repeats a call that dies or gives up.
 */
export async function publishCaptions(videoUlid: string): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const captions = await findCaptions(videoUlid);
    if (captions.version === 0) return;
    const whole = await findWholeVideo(videoUlid);
    if (!whole) return;
    const outdated = whole.outputs.filter((output) => isOutdated(output, captions));
    const replaced = await Promise.all(outdated.map((output) => listCaptions(videoUlid, output, captions)));
    const isFound = await listTranscriptWords(whole.video, captions);
    if (replaced.every(Boolean) && isFound && (await markCaptionsPublished(videoUlid, captions))) return;
  }
}

const isOutdated = ({ status, format, captionsVersion = 0 }: Output, { version }: VideoCaptions): boolean =>
  status === 'completed' && isSegmented(format) && captionsVersion !== version;

async function listCaptions(videoUlid: string, output: Output, captions: VideoCaptions): Promise<boolean> {
  const rebuilt = await rebuildManifests(videoUlid, output, captions);
  return replaceManifests(videoUlid, output, rebuilt, manifestsOfOutput(output));
}

/**
 * Lists a video by the first words of its captions. Where captions are not searched, words of an earlier time are
 * removed. Nothing is written when they are listed already. False when the video or its captions changed meanwhile.
 */
async function listTranscriptWords(video: Video, captions: VideoCaptions): Promise<boolean> {
  const isSearched = readEnvironment('TRANSCRIPT_SEARCH');
  const known = await findListedWords(video.ulid);
  if (!known && !isSearched) return true;
  if (known?.captionsVersion === captions.version && known.ownerUlid === video.ownerUlid) return true;
  const words = isSearched ? await firstWords(captions) : [];
  return changeTranscriptWords(video, captions.version, words, known);
}

/** The files are read one after the other, those that were added first in front, until there are enough words. */
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
