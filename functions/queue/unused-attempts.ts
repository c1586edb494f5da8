import { runPrefix } from '../../shared/object-keys.ts';
import { deleteObjects, listFolders } from '../aws/object-store.ts';
import { jobFolder } from '../job-results/job-files.ts';
import { resultOf } from '../job-results/job-results.ts';
import { findJobs, findJobsOfKind } from '../table/jobs/job-table.ts';
import type { Job } from '../table/records.ts';
import { isFinal } from '../table/statuses.ts';
import { findVideo, findWholeVideo } from '../table/videos/video-table.ts';

/**
 * Deletes the files of attempts whose results are not used, and of plans that a newer plan has replaced. Nothing
 * happens while the video is being processed: when that ends, it is scheduled again. Returns how many objects were
 * deleted.
 */
export async function deleteUnusedAttempts(videoUlid: string): Promise<number> {
  const video = await findVideo(videoUlid);
  if (!video) return 0;
  const planNumbers = Array.from({ length: video.lastPlanNumber }, (_, index) => index + 1);
  let deleted = 0;
  for (const planNumber of planNumbers) deleted += await deleteUnusedOfPlan(videoUlid, planNumber);
  return deleted + (await deleteOldThumbnails(videoUlid));
}

async function deleteUnusedOfPlan(videoUlid: string, planNumber: number): Promise<number> {
  // Listed before the jobs are read, so that an attempt that starts later is not in the list.
  const folders = await attemptFolders(runPrefix(videoUlid, planNumber));
  if (folders.length === 0) return 0;
  const jobs = await findJobs(videoUlid, planNumber);
  const video = await endedVideo(videoUlid);
  if (!video) return 0;
  const isReplaced = planNumber < video.planNumber && video.status === 'completed';
  const kept = new Set(isReplaced ? [] : jobs.filter(isDone).map(jobFolder));
  let deleted = 0;
  for (const folder of folders) if (!kept.has(folder)) deleted += await deleteObjects(folder);
  return deleted;
}

/**
 * Thumbnails have the same names in each attempt and each plan: all files that neither the last result nor the video
 * names are old.
 */
async function deleteOldThumbnails(videoUlid: string): Promise<number> {
  const video = await endedVideo(videoUlid);
  if (video?.status !== 'completed') return 0;
  const [job] = await findJobsOfKind(videoUlid, video.planNumber, 'thumbnails');
  const folder = jobFolder({
    videoUlid,
    planNumber: video.planNumber,
    kind: 'thumbnails',
    group: 0,
    index: 0,
    attempt: 0,
  });
  const { files = [] } = job && isDone(job) ? await resultOf(job) : {};
  const kept = new Set<string | null>([...files.map(({ file }) => `${folder}${file}`), video.thumbnailPath]);
  return deleteObjects(folder, (key) => kept.has(key));
}

const isDone = ({ status }: Job): boolean => status === 'DONE';

/** The video, unless it is deleted, being processed or being edited. */
async function endedVideo(videoUlid: string) {
  const whole = await findWholeVideo(videoUlid);
  return whole && isFinal(whole.video.status) && whole.edits.length === 0 ? whole.video : undefined;
}

const foldersPerPage = 1000;

async function attemptFolders(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { folders, last }: Awaited<ReturnType<typeof listFolders>> = await listFolders(prefix, after, foldersPerPage);
    found.push(...folders);
    after = last;
  }
  return found;
}
