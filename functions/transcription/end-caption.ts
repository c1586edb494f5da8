import { captionLimits } from '../../shared/captions/caption-limits.ts';
import { serializeWebVtt } from '../../shared/captions/web-vtt.ts';
import { contentTypes } from '../../shared/media/content-types.ts';
import { captionKey } from '../../shared/object-keys.ts';
import type { Word } from '../../shared/protocol/jobs.ts';
import { writeObject } from '../aws/object-store.ts';
import { publishCaptions } from '../captions/publish-captions.ts';
import { retryCaptionChange } from '../captions/retry-caption-change.ts';
import { NotFound, QuotaExceeded } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import { speechCues } from '../planning/speech/speech-cues.ts';
import { generatedLabel, tagOfWhisper, whisperLanguage } from '../planning/speech/whisper-language.ts';
import { findUser } from '../table/accounts/user-table.ts';
import type { Caption, Video } from '../table/records.ts';
import { findCaptions, sameTrack } from '../table/videos/caption-table.ts';
import { dropPendingCaption, endPendingCaption, storePendingCaptions } from '../table/videos/pending-captions.ts';
import { pendingAgain } from './pending-caption.ts';
import { whyNotIn } from './spoken-language.ts';

/** Stores the captions that were made of words, and publishes them. */
export async function endCaption(
  video: Video,
  pending: Caption,
  { language, words }: { language: string | undefined; words: readonly Word[] },
): Promise<void> {
  const cues = speechCues(words);
  if (language === undefined || cues.length === 0) return failCaption(video, pending, 'Nobody speaks in the video.');
  // The tag of the request may say more than Whisper knows, such as pt-BR.
  const isAsked = pending.language !== 'und' && whisperLanguage(pending.language) === language;
  const tag = isAsked ? pending.language : tagOfWhisper(language);
  const file = serializeWebVtt(cues);
  // More could not be edited.
  if (cues.length > captionLimits.maxCues || Buffer.byteLength(file) > captionLimits.maxFileBytes) {
    return failCaption(video, pending, 'More is said in the video than captions can have.');
  }
  const version = newUlid();
  let problem: string | undefined;
  let key: string | undefined;
  const isEnded = await end(async () => {
    const known = await findCaptions(video.ulid);
    if (!isPresent(known.captions, pending)) return;
    const present = sameTrack(known, { language: tag, kind: pending.kind });
    problem = isAsked ? undefined : whyNotIn(tag, pending, known.captions);
    if (problem !== undefined) return;
    const ulid = present?.ulid ?? pending.ulid;
    const newKey = captionKey(video.ulid, ulid, version, tag);
    if (key !== newKey) await writeObject(newKey, file, contentTypes.vtt);
    key = newKey;
    const { isDefault, createdAt } = present ?? pending;
    const made = { ulid, version, createdAt, language: tag, kind: pending.kind, isDefault, cueCount: cues.length };
    await endPendingCaption(video, known, pending, {
      ...made,
      label: generatedLabel(tag),
      origin: 'generated',
      status: 'completed',
      error: null,
      key,
    });
  });
  if (problem !== undefined) await leaveOut(video, pending, problem);
  else if (isEnded) await publishCaptions(video.ulid);
}

/** Ends the making of captions with the reason for which there are none. An earlier file stays. */
export async function failCaption(video: Video, pending: Caption, error: string): Promise<void> {
  const { speech: _, ...earlier } = pending;
  const isEnded = await end(async () => {
    const known = await findCaptions(video.ulid);
    if (!isPresent(known.captions, pending)) return;
    const status = pending.key === null ? 'failed' : 'completed';
    await endPendingCaption(video, known, pending, { ...earlier, status, error });
  });
  if (isEnded) await publishCaptions(video.ulid);
}

/** Ends the making of captions of a language that are not wanted. A template has not named the language: no event. */
export async function leaveOut(video: Video, pending: Caption, why: string): Promise<void> {
  if (!pending.speech?.template) return failCaption(video, pending, why);
  log.info('no captions are made from speech', { video: video.ulid, why });
  const isEnded = await end(async () => {
    const known = await findCaptions(video.ulid);
    if (isPresent(known.captions, pending)) await dropPendingCaption(video, known, pending);
  });
  if (isEnded) await publishCaptions(video.ulid);
}

/** Begins again, after the video was processed again with another plan. */
export async function restartCaption(video: Video, pending: Caption, durationSeconds: number): Promise<void> {
  const owner = await findUser(video.ownerUlid);
  if (!owner) return;
  try {
    await end(async () => {
      const known = await findCaptions(video.ulid);
      const { speech } = pending;
      if (!speech || !isPresent(known.captions, pending)) return;
      const again = pendingAgain({ ...pending, speech }, video, durationSeconds);
      await storePendingCaptions(owner, video, known, [again], null);
    });
  } catch (error) {
    if (!(error instanceof QuotaExceeded)) throw error;
    await failCaption(video, pending, error.message);
  }
}

const isPresent = (captions: readonly Caption[], { ulid, speech }: Caption): boolean =>
  captions.some((one) => one.ulid === ulid && one.status === 'pending' && one.speech?.request === speech?.request);

/** False when the video was deleted. */
async function end(change: () => Promise<void>): Promise<boolean> {
  try {
    await retryCaptionChange(change);
    return true;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    log.info('the video was deleted before its captions were made');
    return false;
  }
}
