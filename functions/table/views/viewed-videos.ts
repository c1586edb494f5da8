import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { getItem, getItems, type Item } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { outputsRecord, type Video, videoRecord } from '../records.ts';
import type { OwnedVideo } from '../writes/view-writes.ts';

/** A video as far as its views need it. `hasPicture`: its watch time is that of its picture. */
export type ViewedVideo = OwnedVideo & { hasPicture: boolean };

const formerRecord = z.object({
  ownerUlid: z.string(),
  externalUserId: z.string().nullable(),
  durationSeconds: z.number(),
  hasPicture: z.boolean(),
});

/** Longer than access logs come late. */
const formerSeconds = 16 * 86_400;

/** Whose the videos are. A deleted one still belongs to its owner, until no more access logs of it can come. */
export async function findViewedVideos(ulids: readonly string[]): Promise<Map<string, ViewedVideo>> {
  const found = new Map<string, ViewedVideo>();
  for (const item of await getItems(ulids.map((ulid) => keys.video(ulid)))) {
    const video = videoRecord.parse(item);
    found.set(video.ulid, { ulid: video.ulid, ...viewedAs(video) });
  }
  const missing = ulids.filter((ulid) => !found.has(ulid));
  const former = await getItems(missing.map((ulid) => keys.formerOwner(ulid)));
  for (const ulid of missing) {
    const item = former.find(({ pk }) => pk === keys.formerOwner(ulid).pk);
    if (item) found.set(ulid, { ulid, ...formerRecord.parse(item) });
  }
  return found;
}

function viewedAs(video: Video): z.infer<typeof formerRecord> {
  const { ownerUlid, externalUserId, replaced } = video;
  // Until a new source is encoded, viewers see the old one.
  const { durationSeconds, aspectRatio } = replaced && replaced.durationSeconds !== null ? replaced : video;
  return { ownerUlid, externalUserId, durationSeconds: durationSeconds ?? 0, hasPicture: aspectRatio !== null };
}

/** What remains of a video whose records are deleted, until it expires. */
export const formerOwnerItem = (video: Video): Item => ({
  ...keys.formerOwner(video.ulid),
  kind: 'former-owner',
  ...viewedAs(video),
  expiresAt: nowSeconds() + formerSeconds,
});

/** The sizes of a video's progressive files, by key. */
export async function findFileSizes(videoUlid: string): Promise<Map<string, number>> {
  const record = await getItem(outputsRecord, keys.outputs(videoUlid));
  return new Map(
    Object.values(record?.outputs ?? {}).flatMap(({ entryKey, bytes }): [string, number][] =>
      entryKey !== null && bytes !== null ? [[entryKey, bytes]] : [],
    ),
  );
}
