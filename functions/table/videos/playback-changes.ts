import * as z from 'zod';
import { now } from '../../../shared/clock.ts';
import { tryWrite } from '../items/conditional.ts';
import { getItem, queryItems, write } from '../items/items.ts';
import { keys, playbackShards } from '../items/keys.ts';
import { playbackChange } from '../writes/playback-writes.ts';

const changeRecord = z.object({
  /** another change of the same video has another id */
  id: z.string(),
  changedAt: z.string(),
  /** until then one invocation applies it, and the others leave it alone */
  claimedUntilMilliseconds: z.number(),
  /** The edge needs no further write: only proxies have not confirmed the change. */
  isSettledAtEdge: z.boolean().default(false),
});
export type PlaybackChange = z.infer<typeof changeRecord> & { videoUlid: string };

/** Each deletion starts an invocation: without the claim, each would apply the changes of all. */
const claimMilliseconds = 10_000;

/** Changes of videos' playback that are not known to have reached every way of delivery, and that nothing applies. */
export async function listPlaybackChanges(): Promise<PlaybackChange[]> {
  const shards = Array.from({ length: playbackShards }, (_, shard) => queryItems(keys.playbackChanges(shard)));
  return (await Promise.all(shards))
    .flat()
    .map((item) => ({ ...changeRecord.parse(item), videoUlid: item.sk }))
    .filter(({ claimedUntilMilliseconds }) => claimedUntilMilliseconds < now());
}

/** Has the playback that the record of a video says applied again. */
export const requestPlaybackChange = (videoUlid: string): Promise<unknown> => write(playbackChange(videoUlid));

/** False when another invocation applies it, or the video was changed again. */
export const claimPlaybackChange = ({ videoUlid, id }: PlaybackChange): Promise<boolean> =>
  tryWrite({
    update: keys.playbackChange(videoUlid),
    set: { claimedUntilMilliseconds: now() + claimMilliseconds },
    when: { equals: { id }, below: { claimedUntilMilliseconds: now() } },
  });

/** Has the change applied again from a time on. */
export const postponePlaybackChange = (
  { videoUlid, id }: PlaybackChange,
  untilMilliseconds: number,
  isSettledAtEdge: boolean,
): Promise<boolean> =>
  tryWrite({
    update: keys.playbackChange(videoUlid),
    set: { claimedUntilMilliseconds: untilMilliseconds, isSettledAtEdge },
    when: { equals: { id } },
  });

export const releasePlaybackChange = ({ videoUlid, id }: PlaybackChange): Promise<boolean> =>
  tryWrite({ update: keys.playbackChange(videoUlid), set: { claimedUntilMilliseconds: 0 }, when: { equals: { id } } });

/** False when the video was changed again. */
export const endPlaybackChange = ({ videoUlid, id }: PlaybackChange): Promise<boolean> =>
  tryWrite({ delete: keys.playbackChange(videoUlid), when: { equals: { id } } });

const counts = z.object({ videos: z.number().default(0) });

export const countPublicVideos = async (): Promise<number> => (await getItem(counts, keys.publicVideos()))?.videos ?? 0;
