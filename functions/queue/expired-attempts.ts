import { runPrefix } from '../../shared/object-keys.ts';
import { deleteObjects, listFolders } from '../aws/object-store.ts';
import { findJobs } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo, findWholeVideo } from '../table/videos/video-table.ts';
import { jobFolder } from './job-files.ts';
import { isOfKind, resultOf } from './job-results.ts';

/**
 * Removes what a video's attempts have left whose results were not taken, and what plans made that others have replaced. Nothing happens while the video
 * is worked on: the end of that has it looked through again. Returns how many objects went.
 */
export async function removeLostAttempts(videoUlid: string): Promise<number> {
  const video = await findVideo(videoUlid);
  if (!video) return 0;
  const runs = Array.from({ length: video.lastPlanNumber }, (_, index) => index + 1);
  let removed = 0;
  for (const planNumber of runs) removed += await removeLostOf(videoUlid, planNumber);
  return removed + (await removeOldThumbnails(videoUlid));
}

async function removeLostOf(videoUlid: string, planNumber: number): Promise<number> {
  // Listed before the jobs are read: an attempt that begins after that is not in the list.
  const folders = await attemptFolders(runPrefix(videoUlid, planNumber));
  if (folders.length === 0) return 0;
  const jobs = await findJobs(videoUlid, planNumber);
  const video = await restingVideo(videoUlid);
  if (!video) return 0;
  const isReplaced = planNumber < video.planNumber && video.status === 'completed';
  const kept = new Set(isReplaced ? [] : jobs.filter(isDone).map(jobFolder));
  let removed = 0;
  for (const folder of folders) if (!kept.has(folder)) removed += await deleteObjects(folder);
  return removed;
}

/** Their names are the same for each attempt and each plan, so that only those of the last one are there to be kept. */
async function removeOldThumbnails(videoUlid: string): Promise<number> {
  const video = await restingVideo(videoUlid);
  if (video?.status !== 'completed') return 0;
  const [job] = await findJobs(videoUlid, video.planNumber, 'thumbnails');
  const folder = jobFolder({
    videoUlid,
    planNumber: video.planNumber,
    kind: 'thumbnails',
    group: 0,
    index: 0,
    attempt: 0,
  });
  const { files = [] } = job && isDone(job) && isOfKind(job, 'thumbnails') ? await resultOf(job) : {};
  const kept = new Set(files.map(({ file }) => `${folder}${file}`));
  return deleteObjects(folder, (key) => kept.has(key));
}

const isDone = ({ status }: Job): boolean => status === 'DONE';

/** The video, unless it is gone or something works on it. */
async function restingVideo(videoUlid: string) {
  const whole = await findWholeVideo(videoUlid);
  return whole && isFinal(whole.video.status) && whole.edits.length === 0 ? whole.video : undefined;
}

const foldersAtOnce = 1000;

async function attemptFolders(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { folders, last }: Awaited<ReturnType<typeof listFolders>> = await listFolders(prefix, after, foldersAtOnce);
    found.push(...folders);
    after = last;
  }
  return found;
}
