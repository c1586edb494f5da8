import { timestamp } from '../../../shared/clock.ts';
import { type DueKind, dueShards } from './due-keys.ts';
import { countIndex, type Item, queryIndex } from './items.ts';
import { queryPages } from './pages.ts';

/** Keys that one partition gives at a time: a backlog is read in pages, however large it is. */
const pageSize = 50;

/**
 * Keys of the records of some kinds whose time has come, the oldest first, page by page for as long as they are asked
 * for. Each page has a part of every partition, so that the order is that of time except within a page.
 */
export async function* duePages(kinds: readonly DueKind[], upTo: string = timestamp()): AsyncGenerator<Item[]> {
  let open = kinds.flatMap(dueShards).map((shard) => shardPages(shard, upTo));
  while (open.length > 0) {
    const read = await Promise.all(open.map((pages) => pages.next()));
    open = open.filter((_, position) => !read[position]!.done);
    const page = read.flatMap(({ done, value }) => (done ? [] : value));
    if (page.length > 0) yield page.toSorted(byTime);
  }
}

async function* shardPages(shard: string, upTo: string): AsyncGenerator<Item[], undefined> {
  const pages = queryPages({
    IndexName: 'due',
    KeyConditionExpression: 'dueShard = :shard AND dueAt <= :upTo',
    ExpressionAttributeValues: { ':shard': shard, ':upTo': upTo },
    Limit: pageSize,
  });
  for await (const { Items = [] } of pages) yield Items as Item[];
}

type Range = { from?: string; upTo?: string; latestFirst?: boolean };

/** Up to `limit` keys of a kind in a range of time, from an eventually consistent index. */
export async function firstDue(kind: DueKind, limit: number, range: Range = {}): Promise<Item[]> {
  const { latestFirst = false, ...between } = range;
  const options = { ...between, limit, descending: latestFirst };
  const found = (await Promise.all(dueShards(kind).map((shard) => queryIndex('due', shard, options)))).flat();
  const sorted = found.toSorted(byTime);
  return (latestFirst ? sorted.toReversed() : sorted).slice(0, limit);
}

/** How many records of a kind there are. Its cost grows with them: for kinds that something else limits. */
export async function countDue(kind: DueKind): Promise<number> {
  const counts = await Promise.all(dueShards(kind).map((shard) => countIndex('due', shard)));
  return counts.reduce((sum, count) => sum + count, 0);
}

const byTime = (a: Item, b: Item): number => (String(a.dueAt) < String(b.dueAt) ? -1 : 1);
