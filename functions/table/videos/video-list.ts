import * as z from 'zod';
import { getItem, getItems, queryIndex } from '../items/items.ts';
import { keys, owned, ulidIn } from '../items/keys.ts';
import { type WholeVideo, wholeVideo } from './video-table.ts';

const counts = z.object({ videos: z.number().default(0) });

/**
 * A page of a user's videos with their streams, newest first, and their total number. A deep page costs reads of keys
 * only: one for each video between it and the nearer end of the list.
 */
export async function listVideos(
  ownerUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; videos: WholeVideo[] }> {
  const total = (await getItem(counts, keys.userCounts(ownerUlid)))?.videos ?? 0;
  if (offset >= total) return { total, videos: [] };
  const { ownerKey } = owned(ownerUlid, 'video', '');
  const before = Math.max(0, total - offset - limit);
  const found =
    before < offset
      ? (await queryIndex('byOwner', ownerKey, { limit: total - offset })).slice(before).reverse()
      : (await queryIndex('byOwner', ownerKey, { descending: true, limit: offset + limit })).slice(offset);
  const ulids = found.map(ulidIn);
  const items = await getItems(ulids.flatMap((ulid) => [keys.video(ulid), keys.streams(ulid)]));
  const videos = ulids.flatMap((ulid) => wholeVideo(items.filter(({ pk }) => pk === keys.video(ulid).pk)) ?? []);
  return { total, videos };
}
