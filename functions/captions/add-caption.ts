import { setTimeout as sleep } from 'node:timers/promises';
import { captionLimits } from '../../shared/captions/caption-limits.ts';
import type { Cue } from '../../shared/captions/cue.ts';
import { serializeWebVtt } from '../../shared/captions/serialize-web-vtt.ts';
import { timestamp } from '../../shared/clock.ts';
import { contentTypes } from '../../shared/media/content-types.ts';
import { captionKey, captionPrefix } from '../../shared/object-keys.ts';
import { deleteObjects, writeObject } from '../aws/object-store.ts';
import { Conflict, NotFound, ValidationFailed } from '../common/errors.ts';
import { newUlid } from '../common/ids.ts';
import { findCaptions, sameTrack, storeCaption } from '../table/captions/caption-table.ts';
import type { Caption, User, Video } from '../table/records.ts';

export type NewCaption = Pick<Caption, 'language' | 'kind' | 'label' | 'isDefault' | 'origin' | 'extractedKey'> &
  ({ cues: readonly Cue[] } | { error: string });

type Added = { caption: Caption; isNew: boolean };

/** As many simultaneous uploads as a video can have captions: one of them is stored in each round. */
const maxAttempts = captionLimits.maxPerVideo;

/**
 * Stores a text track with its file, in place of one of the same language and kind. Undefined when an embedded track
 * would replace an upload.
 * @param by whose activity it is; null for the service itself
 * @throws ValidationFailed when the video has as many captions as it can have, NotFound when it was deleted
 */
export async function addCaption(
  video: Video,
  added: NewCaption,
  by: Pick<User, 'ulid'> | null,
): Promise<Added | undefined> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const known = await findCaptions(video.ulid);
    const replaced = sameTrack(known, added);
    if (added.origin === 'embedded' && replaced?.origin === 'upload') return undefined;
    if (!replaced && known.captions.length >= captionLimits.maxPerVideo) {
      const message = `The video has ${captionLimits.maxPerVideo} captions, the most that are allowed: delete some first.`;
      throw new ValidationFailed({ language: [message] });
    }
    const caption = newVersion(video.ulid, added, replaced);
    if ('cues' in added && caption.key !== null) {
      await writeObject(caption.key, serializeWebVtt(added.cues), contentTypes.vtt);
    }
    const result = await storeCaption(video, known, caption, by);
    if (result === 'stored') return { caption, isNew: replaced === undefined };
    await deleteObjects(captionPrefix(video.ulid, caption.ulid, caption.version));
    if (result === 'deleted') throw new NotFound();
    await sleep(Math.random() * 50);
  }
  throw new Conflict('The captions of the video were changed meanwhile. Please try again.');
}

function newVersion(videoUlid: string, added: NewCaption, replaced: Caption | undefined): Caption {
  const { language, kind, label, isDefault, origin, extractedKey } = added;
  const [ulid, version] = [replaced?.ulid ?? newUlid(), newUlid()];
  const isUsable = 'cues' in added;
  return {
    ...{ ulid, version, language, kind, label, isDefault, origin },
    status: isUsable ? 'completed' : 'failed',
    error: isUsable ? null : added.error,
    cueCount: isUsable ? added.cues.length : 0,
    key: isUsable ? captionKey(videoUlid, ulid, version, language) : null,
    ...(extractedKey !== undefined && { extractedKey }),
    createdAt: replaced?.createdAt ?? timestamp(),
  };
}
