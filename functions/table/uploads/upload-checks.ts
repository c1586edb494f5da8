import { now, timestamp } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { due } from '../items/due-keys.ts';
import { duePages } from '../items/due-pages.ts';
import { getItems } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type Upload, uploadRecord } from '../records.ts';
import { endOf } from './upload-end.ts';

/** A little less than the interval of reconcile. */
const recheckMilliseconds = 14 * 60_000;

/** Uploads that are to be checked now, those that have waited longest first, page by page. */
export async function* dueUploads(): AsyncGenerator<Upload[]> {
  for await (const page of duePages(['upload'])) {
    const uploads = (await getItems(page)).map((item) => uploadRecord.parse(item));
    yield uploads.filter(({ status }) => status === 'open' || status === 'completing');
  }
}

/**
 * Has an upload checked again: before its end only if its object can appear without a call of the service, or its
 * completion has begun. Nothing when its status has changed since it was read.
 */
export const postponeCheck = (upload: Upload): Promise<boolean> => {
  const { ulid, status, store, watched } = upload;
  const mayBeStored = status === 'completing' || store === 'post' || watched !== undefined;
  const soon = now() + recheckMilliseconds;
  const at = mayBeStored ? soon : Math.max(soon, endOf(upload) + 1);
  return tryWrite({ update: keys.upload(ulid), set: due('upload', ulid, timestamp(at)), when: { equals: { status } } });
};
