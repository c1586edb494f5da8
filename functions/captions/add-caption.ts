import { captionLimits } from '../../shared/captions/caption-limits.ts';
import type { Cue } from '../../shared/captions/cue.ts';
import { serializeWebVtt } from '../../shared/captions/web-vtt.ts';
import { timestamp } from '../../shared/clock.ts';
import { contentTypes } from '../../shared/media/content-types.ts';
import { captionKey } from '../../shared/object-keys.ts';
import { writeObject } from '../aws/object-store.ts';
import { ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import type { Caption, User, Video } from '../table/records.ts';
import { findCaptions, sameTrack, storeCaption, type VideoCaptions } from '../table/videos/caption-table.ts';
import { retryCaptionChange } from './retry-caption-change.ts';

export type NewCaption = Pick<Caption, 'language' | 'kind' | 'label' | 'isDefault' | 'origin' | 'extractedKey'> &
  ({ cues: readonly Cue[] } | { error: string });

type Added = { caption: Caption; isNew: boolean; wasPending: boolean };

/**
 * Stores a text track with its file, in place of one of the same language and kind. Undefined when an embedded track
 * would replace an upload, or captions that are being made from speech.
 * @param by whose activity it is; null for the service itself
 * @throws ValidationFailed when the video has as many captions as it can have, NotFound when it was deleted
 */
export async function addCaption(
  video: Video,
  added: NewCaption,
  by: Pick<User, 'ulid'> | null,
): Promise<Added | undefined> {
  const [newCaptionUlid, version] = [newUlid(), newUlid()];
  let writtenKey: string | null = null;
  return retryCaptionChange(async () => {
    const known = await findCaptions(video.ulid);
    const replaced = sameTrack(known, added);
    if (added.origin === 'embedded' && (replaced?.origin === 'upload' || replaced?.status === 'pending'))
      return undefined;
    if (!replaced) requireRoom(known);
    const ulid = replaced?.ulid ?? newCaptionUlid;
    const caption = captionOf(video.ulid, added, { ulid, version, createdAt: replaced?.createdAt ?? timestamp() });
    // When another call has stored this track first, the file is not used. It is deleted with the video.
    if ('cues' in added && caption.key !== null && caption.key !== writtenKey) {
      await writeObject(caption.key, serializeWebVtt(added.cues), contentTypes.vtt);
      writtenKey = caption.key;
    }
    await storeCaption(video, known, caption, by);
    return { caption, isNew: replaced === undefined, wasPending: replaced?.status === 'pending' };
  });
}

/** @throws ValidationFailed when the video has as many captions as it can have */
export function requireRoom({ captions }: VideoCaptions): void {
  if (captions.length < captionLimits.maxPerVideo) return;
  const message = `The video has ${captionLimits.maxPerVideo} captions, the most that are allowed: delete some first.`;
  throw new ValidationFailed({ language: [message] });
}

function captionOf(
  videoUlid: string,
  added: NewCaption,
  made: Pick<Caption, 'ulid' | 'version' | 'createdAt'>,
): Caption {
  const { language, kind, label, isDefault, origin, extractedKey } = added;
  const isUsable = 'cues' in added;
  return {
    ...made,
    language,
    kind,
    label,
    isDefault,
    origin,
    status: isUsable ? 'completed' : 'failed',
    error: isUsable ? null : added.error,
    cueCount: isUsable ? added.cues.length : 0,
    key: isUsable ? captionKey(videoUlid, made.ulid, made.version, language) : null,
    ...(extractedKey !== undefined && { extractedKey }),
  };
}
