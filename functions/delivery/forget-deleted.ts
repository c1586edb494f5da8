import { now, nowSeconds } from '../../shared/clock.ts';
import { signedUrlSeconds } from '../common/limits.ts';
import { log } from '../common/log.ts';
import { listEdgeKeys, readEdgeUse, removeEdgeKeys } from './edge-keys.ts';

/** Part of the 5 MB of the store from which marks are removed early, so that signing keys can always be added. */
const crowdedBytes = 4_000_000;

/**
 * The distribution asks the bucket for a cached file at least once a day, and the files of a deleted video are gone
 * from the bucket some hours after the deletion. So a mark is not needed for longer than this.
 */
const shortestSeconds = 2 * 86_400;

/**
 * Removes the marks of videos whose deletion is so long ago that all their URLs have expired, on Mondays. Listing
 * costs a tenth of a cent for each 50 keys, also those of public videos, so other runs of the schedule do nothing.
 * While the store is nearly full, marks are removed each day, as soon as the distribution cannot have cached files of
 * the video any more.
 */
export async function forgetDeleted(): Promise<void> {
  if (!isFirstRunOfDay(now())) return;
  const use = await readEdgeUse();
  if (use === undefined) return;
  const isCrowded = use.bytes > crowdedBytes;
  if (!isCrowded && !isMonday(now())) return;
  const early = isCrowded ? signedUrlSeconds.max - shortestSeconds : 0;
  const removable: string[] = [];
  for await (const { key, value } of listEdgeKeys()) {
    if (key.startsWith('deleted/') && Number(value) - early <= nowSeconds()) removable.push(key);
  }
  await removeEdgeKeys(removable);
  log.info('marks of deleted videos', { ...use, removed: removable.length });
}

const isMonday = (ms: number): boolean => new Date(ms).getUTCDay() === 1;

/** The schedule runs every 15 minutes. */
const isFirstRunOfDay = (ms: number): boolean => new Date(ms).toISOString().slice(11, 16) < '00:15';
