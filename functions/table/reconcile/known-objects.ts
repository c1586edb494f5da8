import { getItems } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { type Upload, uploadRecord, type Video, videoRecord } from '../records.ts';

/** What the objects of a video must agree with. */
export type KnownVideo = Pick<Video, 'sourceKey' | 'replaced' | 'playback' | 'deletedAt'>;

const knownVideo = videoRecord.pick({ sourceKey: true, replaced: true, playback: true, deletedAt: true });

/** Videos by their ULIDs, deleted ones too. A video that has no record is left out. */
export async function findKnownVideos(videoUlids: readonly string[]): Promise<ReadonlyMap<string, KnownVideo>> {
  const items = await getItems(videoUlids.map(keys.video));
  return new Map(items.map((item) => [ulidIn(item), knownVideo.parse(item)]));
}

/** An upload that has not become a video, with the ULID of the video whose source it is to replace or has replaced. */
type KnownUpload = Pick<Upload, 'status' | 'replaces'>;

const knownUpload = uploadRecord.pick({ status: true, replaces: true });

/** Uploads by their ULIDs. One that has no record is left out. */
export async function findKnownUploads(ulids: readonly string[]): Promise<ReadonlyMap<string, KnownUpload>> {
  const items = await getItems(ulids.map(keys.upload));
  return new Map(items.map((item) => [ulidIn(item), knownUpload.parse(item)]));
}
