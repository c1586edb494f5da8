import { now } from '../../shared/clock.ts';
import { abortMultipart } from '../aws/upload-store.ts';
import { createBoundedCache } from '../common/bounded-cache.ts';
import { log } from '../common/log.ts';
import { closeUpload, listOpenUploads } from '../table/videos/upload-table.ts';
import { isIdle } from './received.ts';

const idleMilliseconds = 3600_000;

/** Each upload that is looked at costs a call of the store, so a user whose uploads all go on is looked at again only after a while. */
const lookAgainMilliseconds = 60_000;
const lookedAt = createBoundedCache<number>(1000);

/** Gives up the oldest of a user's open uploads that has received nothing for an hour. False when there is none. */
export async function evictIdleUpload(ownerUlid: string): Promise<boolean> {
  if (now() < (lookedAt.get(ownerUlid) ?? 0) + lookAgainMilliseconds) return false;
  for (const upload of await listOpenUploads(ownerUlid)) {
    if (upload.status !== 'open' || !(await isIdle(upload, idleMilliseconds))) continue;
    if (!(await closeUpload(upload, 'displaced'))) continue;
    if (upload.store === 'multipart') {
      await abortMultipart(upload).catch((error: Error) => log.warn('a multipart upload stays open', { error }));
    }
    return true;
  }
  lookedAt.set(ownerUlid, now());
  return false;
}
