import { isOutputFolder, outputPrefix, runPrefix, thumbnailsPrefix, videoPrefix } from '../../shared/object-keys.ts';
import { isOfFirstRun } from '../../shared/protocol/track-files.ts';
import { deleteObjects, listFolders } from '../aws/object-store.ts';
import { isFinal } from '../contracts/statuses.ts';
import { jobFolder, resultFiles } from '../job-results/job-files.ts';
import { resultOf } from '../job-results/job-results.ts';
import { findJobs, findJobsOfKind } from '../table/jobs/job-table.ts';
import type { Job, Video } from '../table/records.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

/**
 * Deletes the files of attempts whose results are not used, those of a first run of the encoder that a second one has
 * replaced, and the files of plans that a newer plan has replaced. Playlists of a running video may name them: nothing
 * happens while the video is being processed: when that ends, it is scheduled again. Returns how many objects were
 * deleted.
 */
export async function deleteUnusedAttempts(videoUlid: string): Promise<number> {
  const video = await findVideo(videoUlid);
  if (!video) return 0;
  const planNumbers = Array.from({ length: video.lastPlanNumber }, (_, index) => index + 1);
  let deleted = 0;
  // First, so that no playlist names a missing file.
  deleted += await deleteUnusedManifests(videoUlid);
  for (const planNumber of planNumbers) deleted += await deleteUnusedOfPlan(videoUlid, planNumber);
  return deleted + (await deleteOldThumbnails(videoUlid));
}

/** Outputs that were playable while they were encoded and then failed have playlists. */
async function deleteUnusedManifests(videoUlid: string): Promise<number> {
  const folders = await foldersBelow(videoPrefix(videoUlid));
  const whole = await endedWhole(videoUlid);
  if (!whole) return 0;
  const kept = new Set(
    whole.outputs.filter(({ status }) => status === 'completed').map(({ ulid }) => outputPrefix(videoUlid, ulid)),
  );
  let deleted = 0;
  for (const folder of folders) {
    if (isOutputFolder(folder) && !kept.has(folder)) deleted += await deleteObjects(folder);
  }
  return deleted;
}

async function deleteUnusedOfPlan(videoUlid: string, planNumber: number): Promise<number> {
  // Listed before the jobs are read, so that an attempt that starts later is not in the list.
  const folders = await foldersBelow(runPrefix(videoUlid, planNumber));
  if (folders.length === 0) return 0;
  const jobs = await findJobs(videoUlid, planNumber);
  const video = await endedVideo(videoUlid);
  if (!video) return 0;
  const isReplaced = planNumber < video.planNumber && video.status === 'completed';
  const kept = new Map(isReplaced ? [] : jobs.filter(isDone).map((job) => [jobFolder(job), job]));
  let deleted = 0;
  for (const folder of folders) {
    const job = kept.get(folder);
    deleted += job ? await deleteFirstRun(folder, job) : await deleteObjects(folder);
  }
  return deleted;
}

/** Deletes what the first run of the encoder has left in the folder of an attempt, if the result is of the second. */
async function deleteFirstRun(folder: string, job: Job): Promise<number> {
  if (job.kind !== 'encode-video' && job.kind !== 'encode-audio') return 0;
  const files = resultFiles(await resultOf(job));
  if (files.every(isOfFirstRun)) return 0;
  const kept = new Set(files.map((file) => `${folder}${file}`));
  return deleteObjects(folder, (key) => kept.has(key));
}

/**
 * Thumbnails have the same names in each attempt and each plan: all files that neither the last result nor the video
 * names are old.
 */
async function deleteOldThumbnails(videoUlid: string): Promise<number> {
  const video = await endedVideo(videoUlid);
  if (video?.status !== 'completed') return 0;
  const [job] = await findJobsOfKind(videoUlid, video.planNumber, 'thumbnails');
  const folder = thumbnailsPrefix(videoUlid, video.sourceNumber ?? 0);
  const { files = [] } = job && isDone(job) ? await resultOf(job) : {};
  const kept = new Set<string | null>([...files.map(({ file }) => `${folder}${file}`), video.thumbnailPath]);
  return deleteObjects(folder, (key) => kept.has(key));
}

const isDone = ({ status }: Job): boolean => status === 'DONE';

/** The video, unless it is deleted, being processed or being edited. */
async function endedWhole(videoUlid: string): Promise<WholeVideo | undefined> {
  const whole = await findWholeVideo(videoUlid);
  return whole && isFinal(whole.video.status) && whole.edits.length === 0 ? whole : undefined;
}

const endedVideo = async (videoUlid: string): Promise<Video | undefined> => (await endedWhole(videoUlid))?.video;

const foldersPerPage = 1000;

async function foldersBelow(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { folders, last }: Awaited<ReturnType<typeof listFolders>> = await listFolders(prefix, after, foldersPerPage);
    found.push(...folders);
    after = last;
  }
  return found;
}
