import { takenKey, uploadFolder } from '../../shared/object-keys.ts';
import { copyObject, deleteObjects, objectHead } from '../aws/object-store.ts';
import { newUlid } from '../common/ids.ts';
import type { Upload } from '../table/records.ts';

/** How often a form may be sent while its object is being taken, before the execution gives way and tries again later. */
const attempts = 3;

type Taken = { key: string; bytes: number };

/**
 * The object that becomes a video's source. One that came by a form is copied out of the client's reach first: what is copied is what was looked at,
 * held by its ETag. Undefined when there is none.
 */
export async function claimSource({ key, store }: Upload): Promise<Taken | undefined> {
  if (store === 'multipart') {
    const head = await objectHead(key);
    return head && { key, bytes: head.bytes };
  }
  const taken = takenKey(key, newUlid());
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const head = await objectHead(key);
    if (!head) return undefined;
    if (await copyObject(key, taken, head.etag)) return { key: taken, bytes: head.bytes };
  }
  throw new Error('a form was sent again each time its object was taken');
}

/** Removes what an upload has in the store but for the video's source: a form that was sent again, and what other calls took. */
export const deleteUnclaimedObjects = ({ key }: Upload, sourceKey: string | undefined): Promise<number> =>
  deleteObjects(uploadFolder(key), (other) => other === sourceKey);
