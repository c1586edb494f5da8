import { tryTransact, tryWrite } from '../items/conditional.ts';
import { getItem, queryIndex } from '../items/items.ts';
import { keys, listKey, waitingPlace, waitingVideoOf } from '../items/keys.ts';
import { admissionRecord, type Video } from '../records.ts';
import { workingCheck } from '../writes/video-writes.ts';

/** A video that waits for a slot. */
export type WaitingVideo = { videoUlid: string; ownerUlid: string };

/** The videos that have a slot, each with its owner. */
export const findAdmitted = async (): Promise<Record<string, string>> =>
  (await getItem(admissionRecord, keys.admission()))?.videos ?? {};

/**
 * Gives a video one of `limit` slots. True also when it has one already. One item holds all slots, so that the last one
 * is given once.
 */
export async function acquireSlot({ videoUlid, ownerUlid }: WaitingVideo, limit: number): Promise<boolean> {
  const slot = `videos.${videoUlid}`;
  for (;;) {
    const isAcquired = await tryWrite({
      update: keys.admission(),
      set: { [slot]: ownerUlid },
      add: { count: 1 },
      when: { absent: [slot], below: { count: limit } },
    });
    if (isAcquired) return true;
    const admission = await getItem(admissionRecord, keys.admission());
    if (admission?.videos[videoUlid] !== undefined) return true;
    if (admission && admission.count >= limit) return false;
    if (!admission) {
      const empty = { ...keys.admission(), kind: 'admission', count: 0, videos: {} };
      await tryWrite({ put: empty, when: { exists: false } });
    }
  }
}

/** Releases a video's slot. False when the video has none. */
export const freeSlot = ({ videoUlid, ownerUlid }: WaitingVideo): Promise<boolean> =>
  tryWrite({
    update: keys.admission(),
    remove: [`videos.${videoUlid}`],
    add: { count: -1 },
    when: { equals: { [`videos.${videoUlid}`]: ownerUlid } },
  });

/**
 * Takes a pending video from its execution and adds it to the waiting list. Executions are named by the execution
 * count: the next one needs a new name. False when another execution has the video.
 */
export function enqueueWaiting({ ulid, ownerUlid, planNumber, executionArn }: Video): Promise<boolean> {
  const place = waitingPlace({ videoUlid: ulid, ownerUlid });
  return tryTransact([
    {
      update: keys.video(ulid),
      set: { executionArn: null },
      add: { executionCount: 1 },
      when: { equals: { planNumber, executionArn, status: 'pending' }, absent: ['deletedAt'] },
    },
    { put: { ...keys.working(ulid), ...place, kind: 'working', ulid } },
  ]);
}

/** Moves a video from the waiting list to the list of working videos. False when it is in neither. */
export const dequeueWaiting = ({ videoUlid }: Pick<WaitingVideo, 'videoUlid'>): Promise<boolean> =>
  tryWrite({
    update: keys.working(videoUlid),
    set: workingCheck(videoUlid),
    remove: ['ownerKey', 'ownerSort'],
    when: { exists: true },
  });

/** The waiting videos in order of creation, from an eventually consistent index. */
export async function listWaitingVideos(limit?: number): Promise<WaitingVideo[]> {
  const marks = await queryIndex('byOwner', listKey('all', 'waiting'), limit === undefined ? {} : { limit });
  return marks.map(waitingVideoOf);
}
