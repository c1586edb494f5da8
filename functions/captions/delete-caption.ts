import { setTimeout as sleep } from 'node:timers/promises';
import { captionLimits } from '../../shared/captions/caption-limits.ts';
import { Conflict, NotFound } from '../common/errors.ts';
import { findCaptions, removeCaption, sameTrack } from '../table/captions/caption-table.ts';
import type { Caption, User, Video } from '../table/records.ts';

/**
 * Deletes a text track. Its files are deleted when no viewer can be reading them.
 * @throws NotFound when the video has no such track, or was deleted
 */
export async function deleteCaption(
  video: Video,
  track: Pick<Caption, 'language' | 'kind'>,
  by: Pick<User, 'ulid'>,
): Promise<void> {
  for (let attempt = 1; attempt <= captionLimits.maxPerVideo; attempt++) {
    const known = await findCaptions(video.ulid);
    const caption = sameTrack(known, track);
    const result = caption && (await removeCaption(video, known, caption, by));
    if (result === 'stored') return;
    if (result !== 'changed') throw new NotFound();
    await sleep(Math.random() * 50);
  }
  throw new Conflict('The captions of the video were changed meanwhile. Please try again.');
}
