import type { Watermark } from '../../shared/media/watermark.ts';
import { imageKey, watermarkKey } from '../../shared/object-keys.ts';
import { watermarkSides } from '../../shared/protocol/jobs.ts';
import { createObject, findObject, readObject } from '../aws/object-store.ts';
import { checkedHeader } from '../common/checked-image.ts';
import type { TemplateQuery } from '../templates/template-query.ts';

/**
 * The watermark of a query for a plan of a video. Its image is copied to the plans of the video: the user may delete it
 * while the video is made, and streams that are added later get the same one.
 */
export async function keepWatermark(videoUlid: string, query: TemplateQuery): Promise<Watermark | undefined> {
  if (!query.watermark) return undefined;
  const { image: imageUlid, position, width, margin, opacity, from_seconds, to_seconds } = query.watermark;
  const copy = watermarkKey(videoUlid, imageUlid);
  // A deleted image is still there for as long as a plan may be missing. Later, an earlier plan has copied it.
  const uploaded = await findObject(imageKey(imageUlid));
  if (uploaded) await createObject(copy, uploaded, 'application/octet-stream');
  const bytes = Buffer.from(uploaded ?? (await readObject(copy)));
  const { isComplete: _, ...image } = checkedHeader(bytes, { field: 'watermark', sides: watermarkSides });
  return {
    imageUlid,
    image,
    position,
    widthShare: Number.parseFloat(width) / 100,
    marginShare: Number.parseFloat(margin) / 100,
    opacity,
    ...(from_seconds !== undefined && { fromSeconds: from_seconds }),
    ...(to_seconds !== undefined && { toSeconds: to_seconds }),
  };
}
