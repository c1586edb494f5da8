import { now } from '../../shared/clock.ts';
import { publicMarkerKey } from '../../shared/object-keys.ts';
import { deleteObjects, writeObject } from '../aws/object-store.ts';
import { forEachSettled } from '../common/for-each-settled.ts';
import { log } from '../common/log.ts';
import {
  claimPlaybackChange,
  endPlaybackChange,
  listPlaybackChanges,
  type PlaybackChange,
  releasePlaybackChange,
} from '../table/videos/playback-changes.ts';
import { findVideo } from '../table/videos/video-table.ts';
import { proxiesWithoutDenial } from './deny-on-proxies.ts';
import { allowPublic, denyVideo, endPublic } from './edge-keys.ts';

/**
 * Longer than an invocation may take from its read of the record to its last effect: one that read the record before
 * the change may overwrite the effects of it. A change is applied again until it is older than this.
 */
const settledMilliseconds = 60_000;
/** A proxy that is active but refuses denials for so long needs an operator. */
const givenUpMilliseconds = 86_400_000;
const parallelChanges = 8;

/**
 * Makes every way of delivery do what the records of changed videos say: a deleted video is denied, a public one plays
 * without a signature. All effects can be repeated. A change whose application fails is applied again by the next
 * invocation.
 */
export const applyPlaybackChanges = async (): Promise<void> =>
  forEachSettled(
    await listPlaybackChanges(),
    async (change) => {
      if (!(await claimPlaybackChange(change))) return;
      try {
        await apply(change);
      } catch (error) {
        await releasePlaybackChange(change);
        throw error;
      }
    },
    parallelChanges,
  );

async function apply(change: PlaybackChange): Promise<void> {
  const { videoUlid, changedAt } = change;
  const ageMilliseconds = now() - Date.parse(changedAt);
  const video = await findVideo(videoUlid);
  if (!video) await denyVideo(videoUlid);
  if (video?.playback === 'public') {
    await allowPublic(videoUlid);
    await writeObject(publicMarkerKey(videoUlid), 'public\n', 'text/plain');
  } else {
    await endPublic(videoUlid);
    await deleteObjects(publicMarkerKey(videoUlid));
  }
  const waitingFor = video ? [] : await proxiesWithoutDenial(videoUlid);
  if (waitingFor.length > 0) {
    log.warn('proxies do not deny a deleted video yet', { video: videoUlid, waitingFor });
    if (ageMilliseconds < givenUpMilliseconds) return;
  }
  if (ageMilliseconds >= settledMilliseconds) await endPlaybackChange(change);
}
