import { now, timestamp } from '../../../shared/clock.ts';
import { captionPrefix } from '../../../shared/object-keys.ts';
import { NotFound } from '../../common/errors.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { type Due, due, dueFields } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { ConditionFailed, type Item, queryItems, transact, type Write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { type Caption, captionRecord, type User, type Video } from '../records.ts';
import { captionsActivity } from '../writes/activity-writes.ts';
import { captionEvent } from '../writes/event-writes.ts';
import { retirement } from '../writes/retirement-writes.ts';
import { VideoChanged } from './video-changed.ts';

/** The captions of a video, by language and kind. `version` is raised with each change; 0 before the first one. */
export type VideoCaptions = { version: number; captions: Caption[] };

type CaptionId = Pick<Caption, 'language' | 'kind'>;
type CaptionedVideo = Pick<Video, 'ulid' | 'name' | 'ownerUlid' | 'externalUserId'>;

export async function findCaptions(videoUlid: string): Promise<VideoCaptions> {
  const { pk, sk } = keys.captions(videoUlid);
  const items = await queryItems(pk, sk);
  return {
    version: Number(items.find(({ kind }) => kind === 'captions-version')?.version ?? 0),
    captions: items.filter(isCaption).map((item) => captionRecord.parse(item)),
  };
}

/** As with jobs, the `kind` of the item is that of the record. */
const isCaption = ({ kind }: Item): boolean => kind !== 'captions-version';

export const sameTrack = ({ captions }: VideoCaptions, { language, kind }: CaptionId): Caption | undefined =>
  captions.find((one) => one.language === language && one.kind === kind);

/**
 * Stores captions, in place of those of the same language and kind.
 * @throws VideoChanged when the captions of the video have changed since they were read, NotFound when it was deleted
 */
export const storeCaption = (
  video: CaptionedVideo,
  known: VideoCaptions,
  caption: Caption,
  by: Pick<User, 'ulid'> | null,
): Promise<void> => {
  const replaced = sameTrack(known, caption);
  const verb = replaced ? 'Replaced' : 'Added';
  return changeCaptions(video, known, [
    { put: { ...keys.caption(video.ulid, caption.language, caption.kind), ...caption } },
    ...(replaced ? retiredFiles(video, replaced) : []),
    captionEvent(caption.status === 'failed' ? 'failed' : 'added', video, caption.ulid),
    ...(by ? [activity(video, caption, by, replaced ? 'updated' : 'created', verb)] : []),
  ]);
};

/**
 * Stores captions that are to be made from speech, in place of those of the same language and kind, whose file stays.
 * Manifests do not list them, so that their version stays.
 * @throws VideoChanged when the captions of the video have changed since they were read, or the video was deleted
 */
export async function storePendingCaption(
  video: CaptionedVideo,
  { version }: VideoCaptions,
  caption: Caption,
  by: Pick<User, 'ulid'> | null,
): Promise<void> {
  const { language, kind } = caption;
  const isStored = await tryTransact([
    { check: keys.video(video.ulid), when: { exists: true, absent: ['deletedAt'] } },
    {
      check: keys.captionsVersion(video.ulid),
      when: version === 0 ? { exists: false } : { equals: { version } },
    },
    { put: { ...keys.caption(video.ulid, language, kind), ...caption, ...speechCheck(video.ulid) } },
    ...(by ? [activity(video, caption, by, 'created', 'Began to make')] : []),
  ]);
  if (!isStored) throw new VideoChanged();
}

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
  const isSame = { equals: { status: 'pending', 'speech.request': pending.speech?.request ?? '' } };
  const put = { ...keys.caption(video.ulid, made.language, made.kind), ...made };
  return changeCaptions(video, known, [
    ...(pending.language === made.language ? [{ put, when: isSame }] : [{ put }, released(video, pending, isSame)]),
    ...(replaced && replaced.key !== made.key ? retiredFiles(video, replaced) : []),
    captionEvent(made.error === null ? 'added' : 'failed', video, made.ulid),
  ]);
};

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
export const postponeTranscription = (videoUlid: string, { language, kind, speech }: Caption): Promise<boolean> =>
  tryWrite({
    update: keys.caption(videoUlid, language, kind),
    set: speechCheck(videoUlid),
    when: { equals: { status: 'pending', 'speech.request': speech?.request ?? '' } },
  });

/** Removes captions for a user. The errors are those of `storeCaption`. */
export const removeCaption = (
  video: CaptionedVideo,
  known: VideoCaptions,
  caption: Caption,
  by: Pick<User, 'ulid'>,
): Promise<void> =>
  changeCaptions(video, known, [...removal(video, caption), activity(video, caption, by, 'deleted', 'Deleted')]);

/** Removes captions that the service has made. The errors are those of `storeCaption`. */
export const removeEmbeddedCaption = (video: CaptionedVideo, known: VideoCaptions, caption: Caption): Promise<void> =>
  changeCaptions(video, known, removal(video, caption));

const removal = (video: CaptionedVideo, caption: Caption): Write[] => [
  { delete: keys.caption(video.ulid, caption.language, caption.kind) },
  ...retiredFiles(video, caption),
];

async function changeCaptions({ ulid }: CaptionedVideo, { version }: VideoCaptions, writes: Write[]): Promise<void> {
  try {
    await transact([
      { check: keys.video(ulid), when: { exists: true, absent: ['deletedAt'] } },
      {
        put: {
          ...keys.captionsVersion(ulid),
          ...publicationCheck(ulid),
          kind: 'captions-version',
          version: version + 1,
        },
        when: version === 0 ? { exists: false } : { equals: { version } },
      },
      ...writes,
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    throw error.failed.includes(0) ? new NotFound() : new VideoChanged();
  }
}

/**
 * Has reconcile publish a change when the call that makes it does not. Manifests are replaced within seconds, so
 * nothing is due while that call works.
 */
const publicationCheck = (videoUlid: string): Due => due('captions', videoUlid, timestamp(now() + 60_000));

/** Videos whose manifests do not list the last change of their captions. */
export async function* dueCaptions(): AsyncGenerator<string[]> {
  for await (const page of duePages(['captions'])) yield page.map(ulidIn);
}

/** Has a video checked after the others. Nothing when its manifests list the change by now. */
export const postponeCaptions = (videoUlid: string): Promise<boolean> =>
  tryWrite({
    update: keys.captionsVersion(videoUlid),
    set: publicationCheck(videoUlid),
    when: { exists: true, atLeast: { dueAt: '' } },
  });

/** Nothing is left to be published, unless the captions have another version by now. */
export const markCaptionsPublished = (videoUlid: string, version: number): Promise<boolean> =>
  tryWrite({
    update: keys.captionsVersion(videoUlid),
    remove: dueFields,
    when: { equals: { version } },
  });

const retiredFiles = ({ ulid }: CaptionedVideo, caption: Caption): Write[] =>
  caption.key === null ? [] : [retirement({ prefix: captionPrefix(ulid, caption.ulid, caption.version) })];

function activity(
  video: CaptionedVideo,
  { ulid, language, kind, label }: Caption,
  by: Pick<User, 'ulid'>,
  event: string,
  verb: string,
): Write {
  const properties = { video: video.ulid, language, kind, label };
  return captionsActivity(by, { ulid }, event, `${verb} ${kind} ${language} of ${video.name}`, properties);
}
