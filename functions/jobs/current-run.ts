import { StateError, stateErrors } from '../../shared/job-errors.ts';
import { nameInLog } from '../../shared/log.ts';
import type { StreamChange, Video } from '../../shared/records.ts';
import { findStreamChange } from '../../shared/table/stream-changes.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../shared/table/videos.ts';

/**
 * The video, as long as this run is one that works on it: that of its present plan, or that of a change to one of its streams.
 * @throws StateError Job.Cancelled when the video was deleted or is processed under another plan
 */
export async function videoInRun(videoUlid: string, run: number): Promise<Video> {
  nameInLog(videoUlid, run);
  const video = await findVideo(videoUlid);
  if (video && (video.run === run || (await findStreamChange(videoUlid, run)))) return video;
  throw superseded();
}

/** The same with streams, outputs and progress. */
export async function wholeVideoInRun(videoUlid: string, run: number): Promise<WholeVideo> {
  nameInLog(videoUlid, run);
  const whole = await findWholeVideo(videoUlid);
  if (whole && isCurrent(whole, run)) return whole;
  throw superseded();
}

/** Whether a video is still worked on under a run. */
export const isCurrent = ({ video, changes }: Pick<WholeVideo, 'video' | 'changes'>, run: number): boolean =>
  video.run === run || changes.some((change) => change.run === run);

/** The stream change that a run carries out; undefined for the run of the whole video. */
export const changeIn = ({ changes }: WholeVideo, run: number): StreamChange | undefined =>
  changes.find((change) => change.run === run);

const superseded = (): StateError =>
  new StateError(stateErrors.jobCancelled, 'CANCELLED', 'The video was deleted or is processed anew.');
