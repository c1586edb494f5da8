import { now, timestamp } from '../../../shared/clock.ts';
import { held, tryWrite } from '../items/conditional.ts';
import { type Due, due } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import type { Write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { type Claim, type QuotaOwner, reserve } from '../quotas/reserve.ts';
import type { Caption, User, Video } from '../records.ts';
import { captionEvent } from '../writes/event-writes.ts';
import { speechRelease } from '../writes/reservation-writes.ts';
import {
  type CaptionedVideo,
  captionActivity,
  changeCaptions,
  retiredFiles,
  sameTrack,
  type VideoCaptions,
} from './caption-table.ts';
import { VideoChanged } from './video-changed.ts';

/** Captions that are to be made from speech, with the CPU time that is held of their owner's quota. */
export type PendingCaption = { caption: Caption; cpuMilliseconds: number };

/**
 * Stores captions that are to be made from speech, in place of those of the same language and kind, whose file stays.
 * Manifests do not list them, so that their version stays.
 * @param by whose activity it is; `template`: that of the video has asked for them, once for each of its plans
 * @throws VideoChanged when the captions of the video have changed since they were read, or the video was deleted, or
 *   its template has asked before. QuotaExceeded
 */
export async function storePendingCaptions(
  owner: QuotaOwner,
  video: CaptionedVideo & Pick<Video, 'planNumber' | 'speechPlanNumber'>,
  known: VideoCaptions,
  pending: readonly PendingCaption[],
  by: Pick<User, 'ulid'> | 'template' | null,
): Promise<void> {
  const { version } = known;
  const writes: Write[] = [
    by === 'template' ? markAsked(video) : { check: keys.video(video.ulid), when: isPresent },
    {
      check: keys.captionsVersion(video.ulid),
      when: version === 0 ? { exists: false } : { equals: { version } },
    },
    ...pending.flatMap(({ caption }): Write[] => {
      const replaced = sameTrack(known, caption);
      return [
        {
          put: { ...keys.caption(video.ulid, caption.language, caption.kind), ...caption, ...speechCheck(video.ulid) },
          when: isStill(replaced),
        },
        ...(replaced ? speechRelease(video, replaced) : []),
        ...(by && by !== 'template' ? [captionActivity(video, caption, by, 'created', 'Began to make')] : []),
      ];
    }),
  ];
  const claims = pending.flatMap(({ caption: { speech }, cpuMilliseconds }): Claim[] =>
    speech && cpuMilliseconds > 0
      ? [
          {
            key: keys.speechReservation(owner.ulid, video.ulid, speech.request),
            amounts: { uploadBytes: 0, cpuMilliseconds },
          },
        ]
      : [],
  );
  if (!(await held(() => reserve(owner, claims, { writes })))) throw new VideoChanged();
}

/** No other request has changed the captions: requests do not raise the version. */
const isStill = (known: Caption | undefined) =>
  known
    ? {
        equals: {
          version: known.version,
          status: known.status,
          ...(known.speech && { 'speech.request': known.speech.request }),
        },
        absent: known.speech ? [] : ['speech'],
      }
    : { exists: false };

const isPresent = { exists: true, absent: ['deletedAt'] };

const markAsked = ({
  ulid,
  planNumber,
  speechPlanNumber,
}: Pick<Video, 'ulid' | 'planNumber' | 'speechPlanNumber'>) => ({
  update: keys.video(ulid),
  set: { speechPlanNumber: planNumber },
  when: {
    equals: { planNumber, ...(speechPlanNumber !== undefined && { speechPlanNumber }) },
    absent: ['deletedAt', ...(speechPlanNumber === undefined ? ['speechPlanNumber'] : [])],
  },
});

/**
 * Ends the making of captions: with those of the spoken language, in place of earlier ones, or with a failure.
 * @throws VideoChanged when the captions of the video have changed since they were read, NotFound when it was deleted
 */
export const endPendingCaption = (
  video: CaptionedVideo,
  known: VideoCaptions,
  pending: Caption,
  made: Caption,
): Promise<void> => {
  const replaced = sameTrack(known, made);
  const isSame = isPending(pending);
  const put = { ...keys.caption(video.ulid, made.language, made.kind), ...made };
  return changeCaptions(video, known, [
    ...(pending.language === made.language ? [{ put, when: isSame }] : [{ put }, released(video, pending, isSame)]),
    ...(replaced && replaced.key !== made.key ? retiredFiles(video, replaced) : []),
    // Those of the spoken language may be in the making too, on another request.
    ...(replaced && replaced.ulid !== pending.ulid ? speechRelease(video, replaced) : []),
    ...speechRelease(video, pending),
    captionEvent(made.error === null ? 'added' : 'failed', video, made.ulid),
  ]);
};

/** Ends the making of captions without any: an earlier file stays. The errors are those of `storeCaption`. */
export const dropPendingCaption = (video: CaptionedVideo, known: VideoCaptions, pending: Caption): Promise<void> =>
  changeCaptions(video, known, [released(video, pending, isPending(pending)), ...speechRelease(video, pending)]);

/** The captions are being made, and not on another request by now. */
const isPending = ({ speech }: Pick<Caption, 'speech'>) => ({
  equals: { status: 'pending', 'speech.request': speech?.request ?? '' },
});

/** What stays of captions of an unknown language when those of the spoken one are made. */
function released(video: CaptionedVideo, pending: Caption, when: { equals: Record<string, string> }): Write {
  const key = keys.caption(video.ulid, pending.language, pending.kind);
  if (pending.key === null) return { delete: key, when };
  const { speech: _, ...earlier } = pending;
  return { put: { ...key, ...earlier, status: 'completed' }, when };
}

/** Has the schedule continue captions from speech when the call that was to do it does not. */
const speechCheck = (videoUlid: string): Due => due('transcription', videoUlid, timestamp(now() + 60_000));

/** Videos whose speech becomes captions. */
export async function* dueTranscriptions(): AsyncGenerator<string[]> {
  for await (const page of duePages(['transcription'])) yield [...new Set(page.map(ulidIn))];
}

/** Has captions from speech continued after the others. Nothing when they are made by now. */
export const postponeTranscription = (videoUlid: string, caption: Caption): Promise<boolean> =>
  tryWrite({
    update: keys.caption(videoUlid, caption.language, caption.kind),
    set: speechCheck(videoUlid),
    when: isPending(caption),
  });
