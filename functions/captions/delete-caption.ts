import { NotFound } from '../common/errors.ts';
import type { Caption, User, Video } from '../table/records.ts';
import { findCaptions, removeCaption, sameTrack } from '../table/videos/caption-table.ts';
import { retryCaptionChange } from './retry-caption-change.ts';

/**
 * Deletes a text track. Its files are deleted when no viewer can be reading them. Resolves with whether it was still
 * being made.
 * @throws NotFound when the video has no such track, or was deleted
 */
export async function deleteCaption(
  video: Video,
  track: Pick<Caption, 'language' | 'kind'>,
  by: Pick<User, 'ulid'>,
): Promise<{ wasPending: boolean }> {
  return retryCaptionChange(async () => {
    const known = await findCaptions(video.ulid);
    const caption = sameTrack(known, track);
    if (!caption) throw new NotFound();
    await removeCaption(video, known, caption, by);
    return { wasPending: caption.status === 'pending' };
  });
}
