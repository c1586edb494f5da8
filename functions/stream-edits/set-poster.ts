import { startStreamEditExecution } from '../aws/executions.ts';
import { Conflict, ValidationFailed } from '../common/errors.ts';
import type { Stream, StreamEdit, User } from '../table/records.ts';
import { requestPoster } from '../table/stream-edits/edited-streams.ts';
import { nextPlan } from '../table/videos/reprocess-video.ts';
import { requireSource } from '../table/videos/source-of-video.ts';
import type { WholeVideo } from '../table/videos/video-table.ts';

/** What a poster is made of: the frame at a time, or an uploaded image. */
export type PosterChoice = { posterSeconds: number } | { posterUpload: NonNullable<StreamEdit['posterUpload']> };

/**
 * Requests an edit that makes the poster. A repeated request for a poster that is being made changes nothing.
 * @throws SourceDeleted, ValidationFailed, Conflict, in this order; VideoChanged when the video was changed since it
 * was read
 */
export async function setPoster(whole: WholeVideo, by: User, choice: PosterChoice): Promise<void> {
  const { video } = whole;
  if ('posterSeconds' in choice) {
    // An image needs no source.
    requireSource(video);
    refuseTime(whole, choice.posterSeconds);
  }
  const original = completedOriginal(whole);
  const making = posterEdit(whole);
  if (making && isSame(making, choice)) return;
  if (making) throw new Conflict('poster_in_progress', 'Another poster is being made. Try again when it is finished.');
  const planNumber = nextPlan(video);
  const edit = {
    planNumber,
    action: 'poster',
    streamUlid: original.ulid,
    type: 'video',
    entry: null,
    segmentSeconds: 0,
    ...choice,
    replaced: null,
    outputs: [],
  } as const;
  await requestPoster(video, { ...edit, outputs: [] }, by);
  if (video.editPlanNumber === undefined) await startStreamEditExecution(video.ulid, planNumber);
}

/** @throws Conflict unless the video is completed */
export function completedOriginal({ video, streams }: WholeVideo): Stream {
  const original = streams.find(({ type }) => type === 'original');
  if (video.status === 'completed' && original) return original;
  throw new Conflict('video_not_completed', 'The video is not completed. Its poster can be changed when it is.');
}

export const posterEdit = ({ edits }: WholeVideo): StreamEdit | undefined =>
  edits.find(({ action }) => action === 'poster');

const isSame = ({ posterSeconds, posterUpload }: StreamEdit, choice: PosterChoice): boolean =>
  'posterSeconds' in choice
    ? posterSeconds === choice.posterSeconds
    : posterUpload?.sha256 === choice.posterUpload.sha256;

function refuseTime({ video }: WholeVideo, atSeconds: number): void {
  // The source is not probed yet.
  if (video.durationSeconds === null && video.status !== 'completed') return;
  if (video.aspectRatio === null) throw new ValidationFailed({ at_seconds: ['The video has no picture.'] });
  if (atSeconds <= (video.durationSeconds ?? 0)) return;
  const message = `The at_seconds field must not be greater than the duration of the video, ${video.durationSeconds} seconds.`;
  throw new ValidationFailed({ at_seconds: [{ code: 'too_large', message, limit: video.durationSeconds ?? 0 }] });
}
