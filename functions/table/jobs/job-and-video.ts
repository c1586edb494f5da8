import { getItems } from '../items/items.ts';
import { type JobId, keys } from '../items/keys.ts';
import { type Job, jobRecord, streamEditRecord, videoRecord } from '../records.ts';
import type { WholeVideo } from '../videos/video-table.ts';

/** A video as far as the jobs of one run look at it. `edits` has the stream edit that the run carries out, if it is one. */
export type VideoOfJob = Pick<WholeVideo, 'video' | 'edits'>;

/**
 * A job and the video it is for, in one read; each undefined when it is not there, the video also when it is deleted.
 * @param run the run that the job is done for, which is not its own where a job belongs to the source
 */
export async function findJobAndVideo(
  id: JobId,
  planNumber: number = id.planNumber,
): Promise<{ job: Job | undefined; about: VideoOfJob | undefined }> {
  const jobKey = keys.job(id);
  const videoKey = keys.video(id.videoUlid);
  const items = await getItems([jobKey, videoKey, keys.streamEdit(id.videoUlid, planNumber)]);
  const job = items.find(({ pk }) => pk === jobKey.pk);
  const stored = items.find(({ pk, sk }) => pk === videoKey.pk && sk === videoKey.sk);
  const video = stored && videoRecord.parse(stored);
  const edits = items.filter(({ kind }) => kind === 'stream-edit').map((item) => streamEditRecord.parse(item));
  return {
    job: job && jobRecord.parse(job),
    about: video && video.deletedAt === undefined ? { video, edits } : undefined,
  };
}
