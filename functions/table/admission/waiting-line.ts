import { now, timestamp } from '../../../shared/clock.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { getItems, queryIndex, write } from '../items/items.ts';
import { keys, lineOrder, listKey, owned, ulidIn } from '../items/keys.ts';
import type { Video } from '../records.ts';
import { workingCheck } from '../writes/video-writes.ts';

/** A video that waits for a slot. */
export type WaitingVideo = { videoUlid: string; ownerUlid: string };

/** A user stays in the line this long after the last video was added. The index lags by about a second. */
const stayMilliseconds = 30_000;
/** A search looks at this many users at most. Those without waiting videos leave the line. */
const maxUsers = 200;

/** Adds a user to the end of the line, or leaves the position that the user has. */
async function joinLine(ownerUlid: string): Promise<void> {
  await write({
    update: keys.waitingUser(ownerUlid),
    set: { kind: 'waiting-user', joinedAt: timestamp() },
    setIfAbsent: owned('all', 'waiting-user', lineOrder(timestamp(), ownerUlid)),
  });
}

/** Moves a user to the end of the line, when a video of the user was started. */
export const moveToEnd = (ownerUlid: string): Promise<boolean> =>
  tryWrite({
    update: keys.waitingUser(ownerUlid),
    set: owned('all', 'waiting-user', lineOrder(timestamp(), ownerUlid)),
    when: { atLeast: { ownerSort: '' } },
  });

const leaveLine = (ownerUlid: string): Promise<boolean> =>
  tryWrite({
    update: keys.waitingUser(ownerUlid),
    remove: ['ownerKey', 'ownerSort'],
    when: { below: { joinedAt: timestamp(now() - stayMilliseconds) } },
  });

/**
 * Takes a pending video from its execution and adds it to the waiting videos of its owner. Executions are named by the
 * execution count: the next one needs a new name. False when another execution has the video.
 */
export async function enqueueWaiting({ ulid, ownerUlid, planNumber, executionArn }: Video): Promise<boolean> {
  // First, so that the user of a waiting video is always in the line.
  await joinLine(ownerUlid);
  return tryTransact([
    {
      update: keys.video(ulid),
      set: { executionArn: null },
      add: { executionCount: 1 },
      when: { equals: { planNumber, executionArn, status: 'pending' }, absent: ['deletedAt'] },
    },
    { put: { ...keys.working(ulid), ...owned(ownerUlid, 'waiting', ulid), kind: 'working', ulid } },
  ]);
}

/** Moves a video from the waiting videos to the working ones. False when it is among neither. */
export const dequeueWaiting = ({ videoUlid }: Pick<WaitingVideo, 'videoUlid'>): Promise<boolean> =>
  tryWrite({
    update: keys.working(videoUlid),
    set: workingCheck(videoUlid),
    remove: ['ownerKey', 'ownerSort'],
    when: { exists: true },
  });

/** Those of the videos that wait. */
export async function waitingAmong(videoUlids: readonly string[]): Promise<ReadonlySet<string>> {
  const marks = await getItems(videoUlids.map(keys.working));
  return new Set(marks.filter(({ ownerKey }) => ownerKey !== undefined).map(ulidIn));
}

export type LineLimits = { users: number; videosOfUser: number };

/**
 * Waiting videos of the users who come first in the line, the oldest ones of each user, in order of creation. Its cost
 * does not grow with the number of waiting videos. From an eventually consistent index.
 */
export async function firstWaiting({ users, videosOfUser }: LineLimits): Promise<WaitingVideo[]> {
  const line = await queryIndex('byOwner', listKey('all', 'waiting-user'), { limit: maxUsers });
  const found: WaitingVideo[] = [];
  let usersFound = 0;
  for (let at = 0; at < line.length && usersFound < users; at += users) {
    const next = line.slice(at, at + users).map(ulidIn);
    const videos = await Promise.all(next.map((ownerUlid) => waitingOf(ownerUlid, videosOfUser)));
    usersFound += videos.filter((one) => one.length > 0).length;
    found.push(...videos.flat());
  }
  return found.toSorted((a, b) => (a.videoUlid < b.videoUlid ? -1 : 1));
}

async function waitingOf(ownerUlid: string, limit: number): Promise<WaitingVideo[]> {
  const marks = await queryIndex('byOwner', listKey(ownerUlid, 'waiting'), { limit });
  if (marks.length === 0) await leaveLine(ownerUlid);
  return marks.map((mark) => ({ videoUlid: ulidIn(mark), ownerUlid }));
}
