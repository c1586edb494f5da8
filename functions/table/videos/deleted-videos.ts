import { now, timestamp } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { duePages } from '../items/due-pages.ts';
import { partIdKeys } from '../items/id-items.ts';
import { getItem, type Item, queryItems, writeBatch } from '../items/items.ts';
import { type Key, keys, ulidIn } from '../items/keys.ts';
import type { JobId } from '../job-id.ts';
import {
  outputsRecord,
  type StreamEdit,
  streamEditRecord,
  streamsRecord,
  type Video,
  videoRecord,
} from '../records.ts';
import { formerOwnerItem } from '../views/viewed-videos.ts';
import { expireUpload } from '../writes/upload-writes.ts';
import { sweepLater } from '../writes/video-deletion.ts';
import { unlistTranscript } from './transcript-words.ts';

/** Deleted videos whose records remain, those whose sweep is the longest ago first, page by page. */
export async function* dueDeletedVideos(): AsyncGenerator<string[]> {
  for await (const page of duePages(['deleted'], timestamp(now() + 1))) yield page.map(ulidIn);
}

/** Has a deleted video swept again after the others. Nothing when its records are deleted. */
export const postponeSweep = (videoUlid: string): Promise<boolean> =>
  tryWrite({ update: keys.video(videoUlid), set: sweepLater(videoUlid), when: { atLeast: { deletedAt: '' } } });

/** A video that is deleted and whose record remains. */
export async function findDeletedVideo(ulid: string): Promise<Video | undefined> {
  const video = await getItem(videoRecord, keys.video(ulid));
  return video?.deletedAt === undefined ? undefined : video;
}

/** Stream edits of a deleted video. */
export async function listEditsOfDeleted({ ulid }: Video): Promise<StreamEdit[]> {
  const { pk, sk } = keys.streamEdits(ulid);
  return (await queryItems(pk, sk)).map((item) => streamEditRecord.parse(item));
}

export const deleteStreamEdits = (edits: StreamEdit[]): Promise<void> =>
  writeBatch(edits.map(({ videoUlid, planNumber }) => ({ delete: keys.streamEdit(videoUlid, planNumber) })));

/**
 * Deletes all records of a video with those of its jobs, and lets the record of its upload expire. It leaves the lists
 * by words of its captions before the record that says which. The record that
 * lists it as deleted is the last one, so that a call that dies is repeated.
 */
export async function deleteVideoRecords(video: Video, jobs: JobId[]): Promise<void> {
  const { ulid } = video;
  const last = keys.video(ulid);
  const records = await queryItems(last.pk);
  const others = records.filter(({ sk }) => sk !== last.sk).map(({ pk, sk }) => ({ pk, sk }));
  const first = [...others, ...partIdsIn(ulid, records), ...jobs.map((job) => keys.job(job))];
  await unlistTranscript(video);
  await writeBatch([{ put: formerOwnerItem(video) }, ...first.map((key) => ({ delete: key }))]);
  await tryWrite(expireUpload(ulid));
  await writeBatch([{ delete: last }]);
}

/** Keys of the items that lead from the ids of streams and outputs to their video. */
function partIdsIn(videoUlid: string, records: Item[]): Key[] {
  const itemOf = ({ sk }: Key): Item | undefined => records.find((item) => item.sk === sk);
  const { streams = {} } = streamsRecord.safeParse(itemOf(keys.streams(videoUlid))).data ?? {};
  const { outputs = {} } = outputsRecord.safeParse(itemOf(keys.outputs(videoUlid))).data ?? {};
  return partIdKeys({ streams: Object.values(streams), outputs: Object.values(outputs) });
}
