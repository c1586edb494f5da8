import type { WaitingVideo } from '../../admission/next-waiting.ts';
import { ConditionFailed, getItem, queryIndex, transact, write } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import { admissionRecord, type Video } from '../records.ts';

/** The videos that have a place, each with its owner. */
export const admitted = async (): Promise<Record<string, string>> =>
  (await getItem(admissionRecord, keys.admission()))?.videos ?? {};

/** Gives a video one of `limit` places. True when it has one, also from before. One item holds all places, so that no two calls give the last one. */
export async function acquireSlot({ videoUlid, ownerUlid }: WaitingVideo, limit: number): Promise<boolean> {
  const place = `videos.${videoUlid}`;
  for (;;) {
    const given = await isWritten({
      update: keys.admission(),
      set: { [place]: ownerUlid },
      add: { count: 1 },
      when: { absent: [place], below: { count: limit } },
    });
    if (given) return true;
    const places = await getItem(admissionRecord, keys.admission());
    if (places?.videos[videoUlid] !== undefined) return true;
    if (places && places.count >= limit) return false;
    if (!places) {
      const none = { ...keys.admission(), kind: 'admission', count: 0, videos: {} };
      await isWritten({ put: none, when: { exists: false } });
    }
  }
}

/** Gives a video's place back, once. */
export async function releaseSlotWrite({ videoUlid, ownerUlid }: WaitingVideo): Promise<void> {
  const place = `videos.${videoUlid}`;
  await isWritten({
    update: keys.admission(),
    remove: [place],
    add: { count: -1 },
    when: { equals: { [place]: ownerUlid } },
  });
}

/**
 * Takes a video that has no place from its execution and puts it in line. The next execution needs another name, hence another start. False when the
 * video is not this execution's any more.
 */
export async function enqueueWaiting(video: Video): Promise<boolean> {
  const { ulid, ownerUlid, planNumber, executionArn } = video;
  try {
    await transact([
      {
        update: keys.video(ulid),
        set: { executionArn: null },
        add: { executionCount: 1 },
        when: { equals: { planNumber, executionArn, status: 'pending' }, absent: ['deletedAt'] },
      },
      {
        put: { ...keys.working(ulid), ...owned('all', 'waiting', `${ulid}#${ownerUlid}`), kind: 'working', ulid },
      },
    ]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Takes a video out of the line that was started. */
export async function dequeueWaiting({ videoUlid }: Pick<WaitingVideo, 'videoUlid'>): Promise<void> {
  const mark = keys.working(videoUlid);
  await isWritten({ update: mark, set: owned('all', 'working', videoUlid), when: { exists: true } });
}

/** The videos in line, in order of their coming. */
export async function waitingVideos(limit?: number): Promise<WaitingVideo[]> {
  const { ownerKey } = owned('all', 'waiting', '');
  const marks = await queryIndex('byOwner', ownerKey, limit === undefined ? {} : { limit });
  return marks.map(({ ownerSort }) => {
    const [videoUlid = '', ownerUlid = ''] = String(ownerSort).split('#');
    return { videoUlid, ownerUlid };
  });
}

async function isWritten(one: Parameters<typeof write>[0]): Promise<boolean> {
  try {
    await write(one);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
