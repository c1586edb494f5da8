import { decodeTime } from 'ulid';
import { now, timestamp } from '../../shared/clock.ts';
import {
  plansPrefix,
  publicMarkerKey,
  uploadOfObject,
  uploadsPrefix,
  videoPrefix,
  videosPrefix,
} from '../../shared/object-keys.ts';
import {
  abortStaleMultiparts,
  deleteObject,
  deleteObjects,
  isTaggedOrphan,
  listFolders,
  listKeys,
  objectBytes,
  tagOrphan,
} from '../aws/object-store.ts';
import { forEachSettled } from '../common/concurrency.ts';
import type { DrainLimits } from '../common/drain.ts';
import { parseUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import { findKnownUploads, findKnownVideos, type KnownVideo } from '../table/reconcile/known-objects.ts';
import { findScanPosition, storeScanPosition } from '../table/reconcile/scan-positions.ts';
import { requestPlaybackChange } from '../table/videos/playback-changes.ts';
import { sourceKeysOf } from '../table/videos/source-of-video.ts';

export type RepairedObjects = { folders: number; orphans: number; multiparts: number };

/** Each invocation scans as many pages as its time permits, and stores after each of them where it is. */
const pageSize = 1000;
/** The record of a younger object may not have been written yet. */
const minAgeMilliseconds = 24 * 3_600_000;
/** A pass looks up each video and each source, and what it looks for is rare. */
const passMilliseconds = 24 * 3_600_000;
/** Longer than any job runs. */
const maxJobMilliseconds = 2 * 3_600_000;

/**
 * Repairs objects that no record refers to: files of deleted videos, objects without an upload, abandoned multipart
 * uploads.
 * @param isScheduled continues a pass over the bucket, and begins one a day after the last. Otherwise one begins now.
 * @param isConfirmed an operator wants the files without a video removed, although these are many or most
 */
export async function reconcileObjects(
  limits: DrainLimits,
  isScheduled: boolean,
  isConfirmed = false,
): Promise<RepairedObjects> {
  const { concurrency, untilMilliseconds } = limits;
  const multiparts = await abortStaleMultiparts(videosPrefix, now() - maxJobMilliseconds);
  const half = now() + (untilMilliseconds - now()) / 2;
  return {
    folders: await scan('videos', { untilMilliseconds: half, isScheduled }, (after) =>
      repairFolders(after, concurrency, isConfirmed),
    ),
    orphans: await scan('uploads', { untilMilliseconds, isScheduled }, (after) =>
      repairUploadObjects(after, concurrency),
    ),
    multiparts,
  };
}

type ScannedPage = { last: string | undefined; repaired: number };

/**
 * Scans at least one page after the last one of the last invocation, at most up to the end of the pass. Nothing between
 * two passes. Returns the number of repairs.
 */
async function scan(
  name: string,
  { untilMilliseconds, isScheduled }: { untilMilliseconds: number; isScheduled: boolean },
  scanPage: (after: string) => Promise<ScannedPage>,
): Promise<number> {
  const known = isScheduled ? await findScanPosition(name) : undefined;
  if (known?.after === '' && known.begunAt > timestamp(now() - passMilliseconds)) return 0;
  const begunAt = known?.after ? known.begunAt : timestamp();
  let after = known?.after ?? '';
  let total = 0;
  do {
    const { last, repaired } = await scanPage(after);
    after = last ?? '';
    await storeScanPosition(name, { after, begunAt });
    total += repaired;
  } while (after !== '' && now() < untilMilliseconds);
  return total;
}

/** A table that was restored from an old backup, or was lost, lacks many videos. Their files must not be deleted. */
const maxUnknownShare = 0.2;
/** In a small installation a few folders are already more than that share. */
const fewFolders = 10;
const isTooMany = (unknown: number, all: number): boolean =>
  unknown > all / 2 || (unknown > fewFolders && unknown > maxUnknownShare * all);

async function repairFolders(after: string, concurrency: number, isConfirmed: boolean): Promise<ScannedPage> {
  const { folders, last } = await listFolders(videosPrefix, after, pageSize);
  const ulids = folders.flatMap((folder) => parseUlid(folder.slice(videosPrefix.length, -1)) ?? []);
  const old = ulids.filter(isOldEnough);
  const known = await findKnownVideos(ulids);
  const unknown = old.filter((ulid) => !known.has(ulid));
  const markers = await repairPublicMarkers(known);
  if (!isConfirmed && isTooMany(unknown.length, ulids.length)) {
    log.error('too many folders without a video: nothing is deleted until an operator confirms it', {
      folders: ulids.length,
      unknown: unknown.length,
    });
    return { last, repaired: markers };
  }
  await forEachSettled(
    unknown,
    async (ulid) => {
      log.warn('files without a video are deleted', { video: ulid });
      await deleteObjects(videoPrefix(ulid));
      await deleteObjects(plansPrefix(ulid));
    },
    concurrency,
  );
  return { last, repaired: unknown.length + markers };
}

async function repairUploadObjects(after: string, concurrency: number): Promise<ScannedPage> {
  const { keys: found, last } = await listKeys(uploadsPrefix, after, pageSize);
  // The record of an upload remains for a while after its video. While either exists, a record refers to the object.
  const owned = found.flatMap((key) => {
    const ulid = uploadOfObject(key);
    return ulid !== undefined && isOldEnough(ulid) ? [{ key, ulid }] : [];
  });
  const ulids = [...new Set(owned.map(({ ulid }) => ulid))];
  const known = await findKnownVideos(ulids);
  const uploads = await findKnownUploads(ulids.filter((ulid) => !known.has(ulid)));
  const replacing = [...uploads.values()].flatMap(({ replaces }) => replaces ?? []);
  const videos = new Map([...known, ...(await findKnownVideos(replacing))]);
  /** The sources of the video that an object belongs to; undefined while its upload is open. */
  const sourcesOf = (ulid: string): string[] | undefined => {
    const upload = uploads.get(ulid);
    const video = videos.get(upload?.replaces ?? ulid);
    const isKept = upload && (upload.replaces === undefined || ['open', 'completing'].includes(upload.status));
    return isKept ? undefined : video ? sourceKeysOf(video) : [];
  };
  let repaired = 0;
  await forEachSettled(
    owned,
    async ({ key, ulid }) => {
      if (!known.has(ulid) && !uploads.has(ulid)) {
        // It stays until an operator deletes it, and each pass finds it again.
        if (await isTaggedOrphan(key)) return;
        log.warn('an object belongs to no upload', { key });
        await tagOrphan(key);
      } else if (sourcesOf(ulid)?.includes(key) === false) {
        log.warn('an object that is not the source of its video is deleted', { key });
        // The key may begin that of the source, which is in a folder beside it.
        await deleteObject(key);
      } else return;
      repaired++;
    },
    concurrency,
  );
  return { last, repaired };
}

const isOldEnough = (ulid: string): boolean => decodeTime(ulid) < now() - minAgeMilliseconds;

const parallelLookups = 20;

/**
 * Has the playback of videos applied again whose marker in the bucket does not agree with the record, as after the
 * table was restored from a backup. Returns their number.
 */
async function repairPublicMarkers(known: ReadonlyMap<string, KnownVideo>): Promise<number> {
  let repaired = 0;
  await forEachSettled(
    [...known].filter(([, { deletedAt }]) => deletedAt === undefined),
    async ([videoUlid, { playback }]) => {
      const isMarked = (await objectBytes(publicMarkerKey(videoUlid))) !== undefined;
      if (isMarked === (playback === 'public')) return;
      log.warn('the marker of a video does not agree with its playback', { video: videoUlid, playback });
      await requestPlaybackChange(videoUlid);
      repaired++;
    },
    parallelLookups,
  );
  return repaired;
}
