import { StateError, stateErrors } from '../../shared/job-errors.ts';
import type { Video } from '../../shared/records.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../shared/table/videos.ts';

/**
 * The video, as long as this run is the one that works on it.
 * @throws StateError Job.Cancelled when the video was deleted or is processed under another plan
 */
export async function videoInRun(videoUlid: string, run: number): Promise<Video> {
  const video = await findVideo(videoUlid);
  if (video?.run !== run) throw superseded();
  return video;
}

/** The same with streams, outputs and progress. */
export async function wholeVideoInRun(videoUlid: string, run: number): Promise<WholeVideo> {
  const whole = await findWholeVideo(videoUlid);
  if (whole?.video.run !== run) throw superseded();
  return whole;
}

const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
