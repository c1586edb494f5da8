import { StateError, stateErrors } from '../../shared/protocol/job-errors.ts';
import { addVideoToLog } from '../common/log.ts';
import type { JobId } from '../table/items/keys.ts';
import { findJobAndVideo, type VideoOfRun } from '../table/queue/job-and-video.ts';
import type { Job, StreamChange, Video } from '../table/records.ts';
import { findWholeVideo, type WholeVideo } from '../table/videos/video-table.ts';

/**
 * A job, if it is there already, and its video, as long as this run is one that works on it: that of its present plan, or that of a change to one of its
 * streams.
 * @throws StateError Job.Cancelled when the video was deleted or is processed under another plan
 */
export async function jobInRun(id: JobId, run: number): Promise<{ job: Job | undefined; video: Video }> {
  addVideoToLog(id.videoUlid, run);
  const { job, about } = await findJobAndVideo(id, run);
  if (about && isCurrent(about, run)) return { job, video: about.video };
  throw superseded();
}

/** The video with streams, outputs and progress, as long as this run is one that works on it. */
export async function wholeVideoInRun(videoUlid: string, run: number): Promise<WholeVideo> {
  addVideoToLog(videoUlid, run);
  const whole = await findWholeVideo(videoUlid);
  if (whole && isCurrent(whole, run)) return whole;
  throw superseded();
}

/** Whether a video is still worked on under a run. */
export const isCurrent = ({ video, changes }: VideoOfRun, run: number): boolean =>
  video.run === run || changes.some((change) => change.run === run);

/** The stream change that a run carries out; undefined for the run of the whole video. */
export const changeIn = ({ changes }: WholeVideo, run: number): StreamChange | undefined =>
  changes.find((change) => change.run === run);

const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
