import type { Output, StreamEdit } from '../records.ts';
import { findWholeVideo, type WholeVideo } from './video-table.ts';

/** The run of a whole video: it makes every output of the template. */
export type VideoRun = { kind: 'video'; planNumber: number; whole: WholeVideo };

/** The run of one stream edit: it encodes or removes one stream, and rebuilds the outputs that use it. */
export type StreamEditRun = { kind: 'stream-edit'; planNumber: number; whole: WholeVideo; edit: StreamEdit };

/**
 * What an execution of the state machine works on: one numbered plan of a video. Jobs, encoded files and built outputs
 * carry the number of the plan that they belong to. The numbers of a video start at 1 and are never used twice
 * (`video.lastPlanNumber` is the last one given), so a number says which kind of run it is:
 *
 * - `video`: the number is `video.planNumber`. The video moves through its statuses. Processing the video again keeps
 *   the number, and with it all finished work, unless `force` is set or the template has changed when the work begins.
 *   With a new number all is made again, and the outputs of the earlier plan stay playable until the new ones are
 *   published.
 * - `stream-edit`: the number is that of a stream edit record. The video stays `completed` and playable, and the record
 *   is deleted when the run ends. Edits of one video run one at a time, in the order of their numbers:
 *   `video.editPlanNumber` is the one that is running or about to start.
 *
 * A number that belongs to neither is superseded: the edit has ended, or the video has a newer plan.
 */
export type Run = VideoRun | StreamEditRun;

/** The run with this plan number. Undefined when it is superseded, or when the video is deleted. */
export async function findRun(videoUlid: string, planNumber: number): Promise<Run | undefined> {
  const whole = await findWholeVideo(videoUlid);
  if (!whole) return undefined;
  if (whole.video.planNumber === planNumber) return { kind: 'video', planNumber, whole };
  const edit = editOf(whole, planNumber);
  return edit && { kind: 'stream-edit', planNumber, whole, edit };
}

/** Whether an output plays what this plan made. */
export const isBuiltByPlan = ({ builtByPlan, status }: Output, planNumber: number): boolean =>
  builtByPlan === planNumber && status === 'completed';

/** Whether a plan number belongs to a run of the video, of either kind. */
export const isCurrentPlan = (whole: Pick<WholeVideo, 'video' | 'edits'>, planNumber: number): boolean =>
  whole.video.planNumber === planNumber || editOf(whole, planNumber) !== undefined;

const editOf = ({ edits }: Pick<WholeVideo, 'edits'>, planNumber: number): StreamEdit | undefined =>
  edits.find((edit) => edit.planNumber === planNumber);
