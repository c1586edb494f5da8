import { now } from '../../shared/clock.ts';
import { parseWatchedKey, uploadKey } from '../../shared/object-keys.ts';
import { objectHead, tagOrphan } from '../aws/object-store.ts';
import { newUlid, parseUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import type { Upload } from '../table/records.ts';
import { findAnyTemplate } from '../table/template-table.ts';
import { addWatchedUpload } from '../table/uploads/watched-uploads.ts';

/**
 * The upload of an object that was written below the watch prefix: of the owner of the template that its key names.
 * Each content of a key has one upload, however often and in whatever order its events arrive. Undefined for an object
 * that cannot become a video: it is tagged.
 */
export async function uploadOfWatched(key: string): Promise<Upload | undefined> {
  const head = await objectHead(key);
  // Overwritten objects have events of their own, and a deleted one has nothing to ingest.
  if (!head) return undefined;
  const names = parseWatchedKey(key);
  const templateUlid = names && parseUlid(names.template);
  if (!names || !templateUlid) return refuse(key, 'its key is not ingest/{template ULID}/{file name}');
  if (head.bytes === 0) return refuse(key, 'it is empty');
  const template = await findAnyTemplate(templateUlid);
  if (!template) return refuse(key, 'its key names no template');
  const ulid = newUlid();
  return addWatchedUpload({
    ulid,
    ownerUlid: template.ownerUlid,
    key: uploadKey(template.ownerUlid, ulid, names.fileName),
    store: 'post',
    s3UploadId: '',
    status: 'open',
    fileName: names.fileName,
    contentType: 'application/octet-stream',
    sizeBytes: head.bytes,
    templateUlid,
    externalUserId: null,
    externalResourceId: null,
    watched: { key, etag: head.etag },
    createdAt: new Date(now()).toISOString(),
  });
}

async function refuse(key: string, reason: string): Promise<undefined> {
  log.warn('an object below the watch prefix becomes no video', { key, reason });
  await tagOrphan(key);
  return undefined;
}
