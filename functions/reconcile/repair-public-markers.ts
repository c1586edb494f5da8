import { publicMarkerKey } from '../../shared/object-keys.ts';
import { objectBytes } from '../aws/object-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import type { KnownVideo } from '../table/reconcile/known-objects.ts';
import { requestPlaybackChange } from '../table/videos/playback-changes.ts';

const parallelLookups = 20;

/**
 * Has the playback of videos applied again whose marker in the bucket does not agree with the record, as after the
 * table was restored from a backup. Returns their number.
 */
export async function repairPublicMarkers(known: ReadonlyMap<string, KnownVideo>): Promise<number> {
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
