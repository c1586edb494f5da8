import * as z from 'zod';
import { tryWrite } from '../items/conditional.ts';
import { getItems, queryItems, writeBatch } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { queryAfter } from '../items/ranges.ts';

const tagRecord = z.object({ sk: z.string(), videos: z.int() }).transform(({ sk, videos }) => ({ tag: sk, videos }));
export type TagCount = z.infer<typeof tagRecord>;

/**
 * A page of the tags of a user's videos with the number of videos that have them, in order of their code points.
 * `after` is the last tag of the page before. The counts of tags that no video has any more are deleted.
 */
export async function listTags(
  ownerUlid: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ tags: TagCount[]; next: string | undefined }> {
  const { pk } = keys.tag(ownerUlid, '');
  const tags: TagCount[] = [];
  for (let behind = after; ; ) {
    const read = (await queryAfter(pk, behind, limit + 1)).map((item) => tagRecord.parse(item));
    for (const one of read) {
      if (one.videos > 0) tags.push(one);
      else await deleteUnused(ownerUlid, one.tag);
    }
    behind = read.at(-1)?.tag;
    if (tags.length > limit || read.length <= limit) break;
  }
  return { tags: tags.slice(0, limit), next: tags.length > limit ? tags[limit - 1]?.tag : undefined };
}

/** Nothing when a video has got the tag after the read. */
const deleteUnused = (ownerUlid: string, tag: string): Promise<boolean> =>
  tryWrite({ delete: keys.tag(ownerUlid, tag), when: { below: { videos: 1 } } });

/** Tags of a user, those of the fewest videos first. */
export async function byNumberOfVideos(ownerUlid: string, tags: readonly string[]): Promise<string[]> {
  const items = await getItems(tags.map((tag) => keys.tag(ownerUlid, tag)));
  const counts = new Map(items.map((item) => tagRecord.parse(item)).map(({ tag, videos }) => [tag, videos]));
  return tags.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
}

/** Deletes the counts of a user who has no video any more. */
export async function deleteTags(ownerUlid: string): Promise<void> {
  const items = await queryItems(keys.tag(ownerUlid, '').pk);
  await writeBatch(items.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}
