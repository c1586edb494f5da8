import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import type { User } from '../table/records.ts';
import { requestPoster } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/reprocess-video.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/**
 * Requests an edit that makes the poster from the frame that is shown at a time. A repeated request for a poster that
 * is being made changes nothing.
 * @throws ValidationFailed, Conflict, in this order; VideoChanged when the video was changed since it was read
 */
export async function setPoster(whole: WholeVideo, by: User, atSeconds: number): Promise<void> {
  const { video, edits, streams } = whole;
  const original = streams.find(({ type }) => type === 'original');
  refuse(whole, atSeconds);
  if (video.status !== 'completed' || !original) {
    throw new Conflict('video_not_completed', 'The video is not completed. Its poster can be changed when it is.');
  }
  const making = edits.find(({ action }) => action === 'poster');
  if (making?.posterSeconds === atSeconds) return;
  if (making) throw new Conflict('poster_in_progress', 'Another poster is being made. Try again when it is finished.');
  const planNumber = nextPlan(video);
  const edit = {
    planNumber,
    action: 'poster',
    streamUlid: original.ulid,
    type: 'video',
    entry: null,
    segmentSeconds: 0,
    posterSeconds: atSeconds,
    replaced: null,
    outputs: [],
  } as const;
  await requestPoster(video, { ...edit, outputs: [] }, by);
  if (video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, planNumber);
}

function refuse({ video }: WholeVideo, atSeconds: number): void {
  // The source is not probed yet.
  if (video.durationSeconds === null && video.status !== 'completed') return;
  if (video.aspectRatio === null) throw new ValidationFailed({ at_seconds: ['The video has no picture.'] });
  if (atSeconds <= (video.durationSeconds ?? 0)) return;
  const message = `The at_seconds field must not be greater than the duration of the video, ${video.durationSeconds} seconds.`;
  throw new ValidationFailed({ at_seconds: [{ code: 'too_large', message, limit: video.durationSeconds ?? 0 }] });
}
