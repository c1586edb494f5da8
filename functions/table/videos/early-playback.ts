import { timestamp } from '../../../shared/clock.ts';
import { tryTransact, tryWrite } from '../items/conditional.ts';
import { below } from '../items/expression.ts';
import { getItem } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { type EarlyPlayback, earlyPlaybackRecord, type Output, type Video } from '../records.ts';
import { videoEvent } from '../writes/event-writes.ts';

/** The growing playlists of a plan. Undefined before the first report of its jobs. */
export async function findEarlyPlayback({ ulid, planNumber }: OfPlan): Promise<EarlyPlayback | undefined> {
  const known = await getItem(earlyPlaybackRecord, keys.earlyPlayback(ulid));
  return known?.planNumber === planNumber ? known : undefined;
}

type OfPlan = Pick<Video, 'ulid' | 'planNumber'>;

/**
 * Claims the next extension of a video's playlists. False when another call has claimed it since the record was read.
 * @param dueAt when the one after it may be claimed
 */
export async function claimExtension(
  { ulid, planNumber }: OfPlan,
  known: EarlyPlayback | undefined,
  dueAt: string,
): Promise<boolean> {
  if (known) {
    const when = { equals: { planNumber, dueAt: known.dueAt } };
    return tryWrite({ update: keys.earlyPlayback(ulid), set: { dueAt }, when });
  }
  const put = { ...keys.earlyPlayback(ulid), kind: 'early-playback', planNumber, dueAt, listed: {}, frontiers: {} };
  // Of two first calls one makes the record: the other would remove what the first has listed since.
  return (
    (await tryWrite({ put, when: { exists: false } })) ||
    // That of an earlier plan is replaced.
    tryWrite({ put, when: { below: { planNumber } } })
  );
}

/** Records what the multivariant playlist lists and how far the other rungs are. */
export async function recordListing(
  { ulid, planNumber }: OfPlan,
  listing: Partial<Pick<EarlyPlayback, 'listed' | 'frontiers' | 'dueAt'>>,
): Promise<void> {
  await tryWrite({ update: keys.earlyPlayback(ulid), set: listing, when: { equals: { planNumber } } });
}

/**
 * Makes a running output playable, and with it its video. False when one of them is not running any more, or another
 * call was faster.
 */
export function makePlayable(
  video: Video,
  output: Pick<Output, 'ulid'>,
  { entryKey, listed }: { entryKey: string } & Pick<EarlyPlayback, 'listed'>,
): Promise<boolean> {
  const { ulid, planNumber } = video;
  const playableAt = timestamp();
  const path = `outputs.${output.ulid}`;
  return tryTransact([
    {
      update: keys.outputs(ulid),
      set: below(path, { playableAt, entryKey }),
      when: { oneOf: below(path, { status: ['running'] }), absent: [`${path}.playableAt`] },
    },
    {
      update: keys.video(ulid),
      set: { playableAt },
      when: { equals: { planNumber, status: 'running' }, absent: ['deletedAt', 'playableAt'] },
    },
    { update: keys.earlyPlayback(ulid), set: { listed }, when: { equals: { planNumber } } },
    videoEvent('video.playable', video),
  ]);
}

/** Records that a video plays, when its first output is completed. Nothing when it played before. */
export async function markPlayable(video: Video): Promise<void> {
  if (video.playableAt !== undefined) return;
  const { ulid, planNumber } = video;
  await tryTransact([
    {
      update: keys.video(ulid),
      set: { playableAt: timestamp() },
      when: { equals: { planNumber }, absent: ['deletedAt', 'playableAt'] },
    },
    videoEvent('video.playable', video),
  ]);
}
