import { tryTransact } from '../items/conditional.ts';
import { duePages } from '../items/due-pages.ts';
import { ConditionFailed, transact } from '../items/items.ts';
import { ulidIn } from '../items/keys.ts';
import { releaseWork } from '../quotas/reservations.ts';
import type { User, Video } from '../records.ts';
import { videoActivity } from '../writes/activity-writes.ts';
import { videoDeletion } from '../writes/video-deletion.ts';
import { findVideo } from './video-table.ts';

/** Marks a video as deleted. Its files are deleted later. Nothing happens when it is deleted already. */
export async function hideVideo(video: Video, by: User): Promise<void> {
  try {
    await transact([
      ...videoDeletion(video, 'requested'),
      videoActivity(by, video, 'deleted', `Deleted ${video.name}`, { name: video.name }),
    ]);
    await releaseWork(video);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const changed = await findVideo(video.ulid);
    if (changed) await hideVideo(changed, by);
  }
}

/** Marks a video as deleted whose time has come. False when it was extended or deleted after it was read. */
export async function hideExpired(video: Video): Promise<boolean> {
  const activity = videoActivity({ ulid: video.ownerUlid }, video, 'deleted', `Deleted ${video.name}`, {
    name: video.name,
    reason: 'expired',
  });
  if (!(await tryTransact([...videoDeletion(video, 'expired'), activity]))) return false;
  await releaseWork(video);
  return true;
}

/** Videos that expire, the longest expired first, page by page. */
export async function* expiredVideos(): AsyncGenerator<string[]> {
  for await (const page of duePages(['expiring'])) yield page.map(ulidIn);
}
