import { getItems } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { type Video, videoRecord } from '../records.ts';

/** What the objects of a video must agree with. */
export type KnownVideo = Pick<Video, 'sourceKey' | 'playback' | 'deletedAt'>;

const knownVideo = videoRecord.pick({ sourceKey: true, playback: true, deletedAt: true });

/** Videos by their ULIDs, deleted ones too. A video that has no record is left out. */
export async function findKnownVideos(videoUlids: readonly string[]): Promise<ReadonlyMap<string, KnownVideo>> {
  const items = await getItems(videoUlids.map(keys.video));
  return new Map(items.map((item) => [ulidIn(item), knownVideo.parse(item)]));
}

/** Those of the ULIDs that no upload has. */
export async function withoutUpload(ulids: readonly string[]): Promise<string[]> {
  const known = new Set((await getItems(ulids.map(keys.upload))).map(ulidIn));
  return ulids.filter((ulid) => !known.has(ulid));
}
