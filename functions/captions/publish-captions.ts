import { isSegmented } from '../../shared/media/output-formats.ts';
import { rebuildManifests } from '../packaging/build-output.ts';
import { manifestsOfOutput } from '../packaging/output-files.ts';
import type { Output } from '../table/records.ts';
import { replaceManifests } from '../table/stream-edits/rebuilt-outputs.ts';
import { findCaptions, markCaptionsPublished, type VideoCaptions } from '../table/videos/caption-table.ts';
import { findWholeVideo } from '../table/videos/video-table.ts';
import { listTranscriptWords } from './list-transcript-words.ts';

/** Other calls that change captions or outputs at the same time make an attempt fail. */
const maxAttempts = 20;

/**
 * Makes the manifests of the completed outputs list the present captions of their video, and the video found by their
 * words. Those that are being encoded
 * are built with them later. Reconciliation repeats a call that dies or gives up.
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
