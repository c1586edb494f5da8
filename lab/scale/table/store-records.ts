import { addCaption } from '../../../functions/captions/add-caption.ts';
import { publishCaptions } from '../../../functions/captions/publish-captions.ts';
import { newUlid } from '../../../functions/common/ids.ts';
import { enqueueWaiting } from '../../../functions/table/admission/waiting-line.ts';
import { transact } from '../../../functions/table/items/items.ts';
import type { Template, User, Video } from '../../../functions/table/records.ts';
import { addUpload } from '../../../functions/table/uploads/upload-table.ts';
import { markWorking } from '../../../functions/table/writes/video-writes.ts';
import { timestamp } from '../../../shared/clock.ts';
import { uploadKey } from '../../../shared/object-keys.ts';
import { storeVideo } from '../../../test/fixtures/records/store-video.ts';

/** As many records of each kind are stored by the service: copies are spread over shards as these are. */
export const prototypesOfKind = 16;

export async function storeWaitingVideo(user: User, template: Template): Promise<{ video: Video }> {
  const { video } = await storeVideo(user, { status: 'pending', template });
  await transact([markWorking(video.ulid)]);
  await enqueueWaiting(video);
  return { video };
}

/** Stores an open upload as the API does. */
export async function storeOpenUpload(user: User, template: Template, { createdAt = timestamp() } = {}): Promise<void> {
  const ulid = newUlid();
  const properties = { fileName: 'clip.mp4', contentType: 'video/mp4', externalUserId: null, externalResourceId: null };
  await addUpload(
    {
      ulid,
      ownerUlid: user.ulid,
      key: uploadKey(user.ulid, ulid, properties.fileName),
      ...properties,
      store: 'multipart',
      s3UploadId: 'x',
      status: 'open',
      templateUlid: template.ulid,
      createdAt,
    },
    null,
  );
}

/** Words of captions with one beginning, `har`. Of a large table each has more videos than a page. */
const spokenWords = ['harbour', 'hard', 'hare', 'hark', 'harm', 'harness', 'harp', 'harsh', 'hart', 'harvest'];

/**
 * Stores a completed video and its captions. One word is in all captions, each other word in those of every third
 * video, so that the words of a language are few and their videos are many.
 */
export async function storeVideoWithCaptions(
  user: User,
  { number, moreWords = 0, ...wanted }: { number: number; moreWords?: number; template: Template; tags?: string[] },
): Promise<void> {
  const { video } = await storeVideo(user, { ...wanted, outputs: [] });
  const own = spokenWords.filter((_, at) => at === 0 || (at + number) % 3 === 0);
  const others = Array.from({ length: moreWords }, (_, at) => `word${at}`);
  const cues = [[...own, 'sailing', ...others].join(' ')].map((text) => ({
    startMs: 0,
    endMs: 1000,
    settings: '',
    text,
  }));
  const id = { language: 'en', kind: 'captions', label: 'English', isDefault: false, origin: 'upload' } as const;
  await addCaption(video, { ...id, cues }, user);
  await publishCaptions(video.ulid);
}
