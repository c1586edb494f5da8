import { decodeTime } from 'ulid';
import { now } from '../../shared/clock.ts';
import { plansPrefix, uploadOfObject, uploadsPrefix, videoPrefix, videosPrefix } from '../../shared/object-keys.ts';
import { abortStaleMultiparts, deleteObjects, listFolders, listKeys, tagOrphan } from '../aws/object-store.ts';
import { parseUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import { findKnownVideos, withoutUpload } from '../table/reconcile/known-objects.ts';
import { findScanPosition, storeScanPosition } from '../table/reconcile/scan-positions.ts';
import { repairPublicMarkers } from './repair-public-markers.ts';

export type RepairedObjects = { folders: number; orphans: number; multiparts: number };

/**
 * Each invocation scans one page and stores where it stopped, so that it takes as long in a large bucket as in a small
 * one.
 */
const pageSize = 1000;
/** The record of a younger object may not have been written yet. */
const minAgeMilliseconds = 24 * 3_600_000;
/** Longer than any job runs. */
const maxJobMilliseconds = 2 * 3_600_000;

/**
 * Repairs objects that no record refers to: files of deleted videos, objects without an upload, abandoned multipart
 * uploads.
 */
export async function reconcileObjects(): Promise<RepairedObjects> {
  return {
    folders: await continueScan('videos', (after) => repairFolders(after)),
    orphans: await continueScan('uploads', (after) => repairUploadObjects(after)),
    multiparts: await abortStaleMultiparts(videosPrefix, now() - maxJobMilliseconds),
  };
}

type ScannedPage = { last: string | undefined; repaired: number };

/**
 * Scans the page after the one of the last invocation, from the start again after the last page. Returns the number of
 * repairs.
 */
async function continueScan(name: string, scanPage: (after: string) => Promise<ScannedPage>): Promise<number> {
  const { last, repaired } = await scanPage(await findScanPosition(name));
  await storeScanPosition(name, last ?? '');
  return repaired;
}

/** A table that was restored from an old backup lacks many videos. Their files must not be deleted. */
const maxUnknownShare = 0.2;

async function repairFolders(after: string): Promise<ScannedPage> {
  const { folders, last } = await listFolders(videosPrefix, after, pageSize);
  const ulids = folders.flatMap((folder) => parseUlid(folder.slice(videosPrefix.length, -1)) ?? []);
  const old = ulids.filter(isOldEnough);
  const known = await findKnownVideos(ulids);
  const unknown = old.filter((ulid) => !known.has(ulid));
  const markers = await repairPublicMarkers(known);
  if (unknown.length > 10 && unknown.length > maxUnknownShare * ulids.length) {
    log.error('too many folders without a video: nothing is deleted', {
      folders: ulids.length,
      unknown: unknown.length,
    });
    return { last, repaired: markers };
  }
  for (const ulid of unknown) {
    log.warn('files without a video are deleted', { video: ulid });
    await deleteObjects(videoPrefix(ulid));
    await deleteObjects(plansPrefix(ulid));
  }
  return { last, repaired: unknown.length + markers };
}

async function repairUploadObjects(after: string): Promise<ScannedPage> {
  const { keys: found, last } = await listKeys(uploadsPrefix, after, pageSize);
  // The upload's record is deleted with the video. While either exists, a record refers to the object.
  const owned = found.flatMap((key) => {
    const ulid = uploadOfObject(key);
    return ulid !== undefined && isOldEnough(ulid) ? [{ key, ulid }] : [];
  });
  const ulids = [...new Set(owned.map(({ ulid }) => ulid))];
  const known = await findKnownVideos(ulids);
  const unknown = new Set(await withoutUpload(ulids.filter((ulid) => !known.has(ulid))));
  let repaired = 0;
  for (const { key, ulid } of owned) {
    const source = known.get(ulid)?.sourceKey;
    if (unknown.has(ulid)) {
      log.warn('an object belongs to no upload', { key });
      await tagOrphan(key);
    } else if (source !== undefined && source !== key) {
      log.warn('an object that is not the source of its video is deleted', { key });
      await deleteObjects(key);
    } else continue;
    repaired++;
  }
  return { last, repaired };
}

const isOldEnough = (ulid: string): boolean => decodeTime(ulid) < now() - minAgeMilliseconds;
