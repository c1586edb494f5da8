import { now, timestamp } from '../../../shared/clock.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Item } from '../items/items.ts';
import { keys, owned } from '../items/keys.ts';
import type { Upload } from '../records.ts';

/** An event or a call that is late arrives within minutes. */
const checkDelayMilliseconds = 10 * 60_000;

/** Has reconcile check an upload whose object may be stored by now. */
export const uploadCheck = (ulid: string, since: number = now()): Due =>
  due('upload', ulid, timestamp(since + checkDelayMilliseconds));

/** The item of an upload that is not stored or aborted. */
export const openUploadItem = (upload: Upload): Item => ({
  ...keys.upload(upload.ulid),
  ...owned(upload.ownerUlid, 'upload', upload.ulid),
  ...uploadCheck(upload.ulid, Date.parse(upload.createdAt)),
  kind: 'upload',
  ...upload,
});

/** Fields by which such an upload is listed. */
export const openUploadFields = ['ownerKey', 'ownerSort', 'dueShard', 'dueAt'] as const;
