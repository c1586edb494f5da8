import { now, timestamp } from '../../../shared/clock.ts';
import { captionPrefix } from '../../../shared/object-keys.ts';
import { NotFound } from '../../common/errors.ts';
import { tryWrite } from '../items/conditional.ts';
import { type Due, due, dueFields } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { ConditionFailed, getItems, type Item, queryItems, transact, type Write } from '../items/items.ts';
import { keys, ulidIn } from '../items/keys.ts';
import { type Caption, captionRecord, type User, type Video } from '../records.ts';
import { captionsActivity } from '../writes/activity-writes.ts';
import { captionEvent } from '../writes/event-writes.ts';
import { speechRelease } from '../writes/reservation-writes.ts';
import { retirement } from '../writes/retirement-writes.ts';
import { VideoChanged } from './video-changed.ts';

/**
 * The captions of a video, by language and kind. `version` is raised with each change; 0 before the first one. `dueAt`:
 * until the last change is published, also one of the video's owner.
 */
export type VideoCaptions = { version: number; captions: Caption[]; dueAt?: string };

type CaptionId = Pick<Caption, 'language' | 'kind'>;
export type CaptionedVideo = Pick<Video, 'ulid' | 'name' | 'ownerUlid' | 'externalUserId'>;

export async function findCaptions(videoUlid: string): Promise<VideoCaptions> {
  const { pk, sk } = keys.captions(videoUlid);
  const items = await queryItems(pk, sk);
  const published = items.find(({ kind }) => kind === 'captions-version');
  return {
    version: Number(published?.version ?? 0),
    ...(published?.dueAt !== undefined && { dueAt: String(published.dueAt) }),
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
    ...(replaced ? [...retiredFiles(video, replaced), ...speechRelease(video, replaced)] : []),
    captionEvent(caption.status === 'failed' ? 'failed' : 'added', video, caption.ulid),
    ...(by ? [captionActivity(video, caption, by, replaced ? 'updated' : 'created', verb)] : []),
  ]);
};

/** Removes captions for a user. The errors are those of `storeCaption`. */
export const removeCaption = (
  video: CaptionedVideo,
  known: VideoCaptions,
  caption: Caption,
  by: Pick<User, 'ulid'>,
): Promise<void> =>
  changeCaptions(video, known, [...removal(video, caption), captionActivity(video, caption, by, 'deleted', 'Deleted')]);

/** Removes captions that the service has made. The errors are those of `storeCaption`. */
export const removeEmbeddedCaption = (video: CaptionedVideo, known: VideoCaptions, caption: Caption): Promise<void> =>
  changeCaptions(video, known, removal(video, caption));

const removal = (video: CaptionedVideo, caption: Caption): Write[] => [
  { delete: keys.caption(video.ulid, caption.language, caption.kind) },
  ...retiredFiles(video, caption),
  ...speechRelease(video, caption),
];

/** Makes a change of captions, and raises their version. The errors are those of `storeCaption`. */
export async function changeCaptions(
  { ulid }: CaptionedVideo,
  { version }: VideoCaptions,
  writes: Write[],
): Promise<void> {
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

/** Has a video listed by the words of its captions for its new owner. A condition fails when it gets its first ones. */
export async function transcriptMove({ ulid }: Pick<Video, 'ulid'>): Promise<Write> {
  const key = keys.captionsVersion(ulid);
  const [version] = await getItems([key]);
  if (!version) return { check: key, when: { exists: false } };
  return { update: key, set: due('captions', ulid, timestamp()), when: { exists: true } };
}

/** Nothing is left to be published. False when the captions, or the owner of the video, have changed since the read. */
export const markCaptionsPublished = (videoUlid: string, { version, dueAt }: VideoCaptions): Promise<boolean> =>
  tryWrite({
    update: keys.captionsVersion(videoUlid),
    remove: dueFields,
    when: {
      equals: { version, ...(dueAt !== undefined && { dueAt }) },
      ...(dueAt === undefined && { absent: ['dueAt'] }),
    },
  });

export const retiredFiles = ({ ulid }: CaptionedVideo, caption: Caption): Write[] =>
  caption.key === null ? [] : [retirement({ prefix: captionPrefix(ulid, caption.ulid, caption.version) })];

export function captionActivity(
  video: CaptionedVideo,
  { ulid, language, kind, label }: Caption,
  by: Pick<User, 'ulid'>,
  event: string,
  verb: string,
): Write {
  const properties = { video: video.ulid, language, kind, label };
  return captionsActivity(by, { ulid }, event, `${verb} ${kind} ${language} of ${video.name}`, properties);
}
