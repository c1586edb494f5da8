import type { PlannedCaption } from '../planning/encoding-plan.ts';
import type { Video } from '../table/records.ts';
import { findCaptions, removeEmbeddedCaption } from '../table/videos/caption-table.ts';
import { embeddedCaptionId } from './embedded-caption-id.ts';
import { retryCaptionChange } from './retry-caption-change.ts';

/**
 * Removes the captions that an earlier plan made of the source and that the present plan does not make, because its
 * template asks for others. Uploaded captions stay. It can be repeated.
 */
export async function removeUnplannedCaptions(video: Video, planned: readonly PlannedCaption[]): Promise<void> {
  const kept = new Set(planned.map(embeddedCaptionId));
  for (let isLeft = true; isLeft; ) {
    isLeft = await retryCaptionChange(async () => {
      const known = await findCaptions(video.ulid);
      const gone = known.captions.find((one) => one.origin === 'embedded' && !kept.has(embeddedCaptionId(one)));
      if (gone) await removeEmbeddedCaption(video, known, gone);
      return gone !== undefined;
    });
  }
}
