import { now, nowSeconds, timestamp } from '../../../shared/clock.ts';
import { type Due, due } from '../items/due-keys.ts';
import type { Item, Write } from '../items/items.ts';
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

/**
 * The record of an upload that has ended says that a late event makes nothing of its file. EventBridge delivers an
 * event for a day, and the queue of dead letters keeps it for 14 more.
 */
const endedUploadSeconds = 15 * 24 * 3600;

/** When the record of an upload that ends now expires, in seconds since 1970. */
export const endedUploadExpiry = (): number => nowSeconds() + endedUploadSeconds;

/** Lets the record of an upload expire whose file is gone. Its condition fails when the record is gone too. */
export const expireUpload = (ulid: string): Write => ({
  update: keys.upload(ulid),
  set: { expiresAt: endedUploadExpiry() },
  when: { exists: true },
});

/** Fields by which such an upload is listed. */
export const openUploadFields = ['ownerKey', 'ownerSort', 'dueShard', 'dueAt'] as const;
