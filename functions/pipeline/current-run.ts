import { StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog } from '../common/log.ts';
import type { JobId } from '../table/items/keys.ts';
import { findJobAndVideo, type VideoOfJob } from '../table/queue/job-and-video.ts';
import type { Job, StreamEdit, Video } from '../table/records.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

/**
 * A job, if it is there already, and its video, as long as this run is one that works on it: that of its present plan, or that of a change to one of its
 * streams.
 * @throws StateError Job.Cancelled when the video was deleted or is processed under another plan
 */
export async function jobOfCurrentPlan(id: JobId, planNumber: number): Promise<{ job: Job | undefined; video: Video }> {
  addVideoToLog(id.videoUlid, planNumber);
  const { job, about } = await findJobAndVideo(id, planNumber);
  if (about && isCurrentPlan(about, planNumber)) return { job, video: about.video };
  throw superseded();
}

/** The video with streams, outputs and progress, as long as this run is one that works on it. */
export async function wholeVideoOfPlan(videoUlid: string, planNumber: number): Promise<WholeVideo> {
  addVideoToLog(videoUlid, planNumber);
  const whole = await findWholeVideo(videoUlid);
  if (whole && isCurrentPlan(whole, planNumber)) return whole;
  throw superseded();
}

/** Whether a video is still worked on under a run. */
export const isCurrentPlan = ({ video, edits }: VideoOfJob, planNumber: number): boolean =>
  video.planNumber === planNumber || edits.some((change) => change.planNumber === planNumber);

/** The stream change that a run carries out; undefined for the run of the whole video. */
export const editOfPlan = ({ edits }: WholeVideo, planNumber: number): StreamEdit | undefined =>
  edits.find((change) => change.planNumber === planNumber);

const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
