import { decodeTime } from 'ulid';
import * as z from 'zod';
import { now } from '../../shared/clock.ts';
import { plansPrefix, uploadOfObject, uploadsPrefix, videoPrefix, videosPrefix } from '../../shared/object-keys.ts';
import { abortStaleMultiparts, deleteObjects, listFolders, listKeys, tagOrphan } from '../aws/object-store.ts';
import { parseUlid } from '../common/ids.ts';
import { log } from '../common/log.ts';
import { getItem, getItems, write } from '../table/items/items.ts';
import { keys } from '../table/items/keys.ts';

export type RepairedObjects = { folders: number; orphans: number; multiparts: number };

/** A turn looks at as many, and the next goes on behind them: the whole bucket is seen in time, and no turn grows with it. */
const lookedAtOnce = 1000;
/** What is younger may be about to get its record. */
const settledMilliseconds = 24 * 3_600_000;
/** No job lasts as long. */
const jobMilliseconds = 2 * 3_600_000;

/** Objects that no record leads to: files of videos that are gone, uploads that nobody opened, parts of files that were given up. */
export async function reconcileObjects(): Promise<RepairedObjects> {
  return {
    folders: await walk('videos', (after) => mendFolders(after)),
    orphans: await walk('uploads', (after) => mendUploadObjects(after)),
    multiparts: await abortStaleMultiparts(videosPrefix, now() - jobMilliseconds),
  };
}

const walkRecord = z.object({ after: z.string() });
type Step = { last: string | undefined; mended: number };

/** Goes on where the last turn stopped, and begins anew at the end. */
async function walk(name: string, step: (after: string) => Promise<Step>): Promise<number> {
  const key = keys.walk(name);
  const { last, mended } = await step((await getItem(walkRecord, key))?.after ?? '');
  await write({ put: { ...key, kind: 'walk', after: last ?? '' } });
  return mended;
}

/** A table that was restored from long ago knows few of the videos; their files must not go for it. */
const mostUnknownShare = 0.2;

async function mendFolders(after: string): Promise<Step> {
  const { folders, last } = await listFolders(videosPrefix, after, lookedAtOnce);
  const ulids = folders.flatMap((folder) => parseUlid(folder.slice(videosPrefix.length, -1)) ?? []);
  const unknown = await unknownOf(ulids.filter(isSettled), (ulid) => keys.video(ulid));
  if (unknown.length > 10 && unknown.length > mostUnknownShare * ulids.length) {
    log.error('too many folders have no video: nothing is removed', { folders: ulids.length, unknown: unknown.length });
    return { last, mended: 0 };
  }
  for (const ulid of unknown) {
    log.warn('files of no video are removed', { video: ulid });
    await deleteObjects(videoPrefix(ulid));
    await deleteObjects(plansPrefix(ulid));
  }
  return { last, mended: unknown.length };
}

async function mendUploadObjects(after: string): Promise<Step> {
  const { keys: found, last } = await listKeys(uploadsPrefix, after, lookedAtOnce);
  // The upload's record goes with the video; while either is there, a record leads to the object.
  const owned = found.flatMap((key) => {
    const ulid = uploadOfObject(key);
    return ulid !== undefined && isSettled(ulid) ? [{ key, ulid }] : [];
  });
  const ulids = [...new Set(owned.map(({ ulid }) => ulid))];
  const sources = new Map((await getItems(ulids.map(keys.video))).map(({ pk, sourceKey }) => [pk, sourceKey]));
  const unknown = new Set(
    await unknownOf(
      ulids.filter((ulid) => !sources.has(keys.video(ulid).pk)),
      keys.upload,
    ),
  );
  let mended = 0;
  for (const { key, ulid } of owned) {
    const source = sources.get(keys.video(ulid).pk);
    if (unknown.has(ulid)) {
      log.warn('an object that no upload has', { key });
      await tagOrphan(key);
    } else if (source !== undefined && source !== key) {
      log.warn('an object beside the source of its video is removed', { key });
      await deleteObjects(key);
    } else continue;
    mended++;
  }
  return { last, mended };
}

const isSettled = (ulid: string): boolean => decodeTime(ulid) < now() - settledMilliseconds;

async function unknownOf(ulids: string[], keyOf: (ulid: string) => { pk: string; sk: string }): Promise<string[]> {
  const known = new Set((await getItems(ulids.map(keyOf))).map(({ pk }) => pk));
  return ulids.filter((ulid) => !known.has(keyOf(ulid).pk));
}
