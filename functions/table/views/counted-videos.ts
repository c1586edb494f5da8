import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { tryTransact } from '../items/conditional.ts';
import { getItems, type Item, type Write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { countedLogSeconds } from '../statistics/delivery-table.ts';
import { type OwnedVideo, viewWrites } from '../writes/view-writes.ts';
import type { Counts } from './viewer-sessions.ts';

const dayTotals = z.object({ views: z.number(), watchedMilliseconds: z.number() });
/** What a log has added to the views of the stage, by UTC day. */
export type DayTotals = Record<string, z.infer<typeof dayTotals>>;

const countedRecord = z.object({ sk: z.string(), days: z.record(z.string(), dayTotals) });

/** The videos of a log that are counted, with what it has added. */
export async function findCountedVideos(log: string, videoUlids: readonly string[]): Promise<Map<string, DayTotals>> {
  const byKey = await recordsOf(videoUlids.map((ulid) => keys.countedVideo(log, ulid)));
  return new Map(
    videoUlids.flatMap((ulid): [string, DayTotals][] => {
      const item = byKey.get(keys.countedVideo(log, ulid).sk);
      return item ? [[ulid, countedRecord.parse(item).days]] : [];
    }),
  );
}

/** Those of the logs that are counted completely, with all of their videos. */
export async function findCountedLogs(logs: readonly string[]): Promise<string[]> {
  const counted = new Set((await getItems(logs.map(keys.countedLog))).map(({ pk }) => pk));
  return logs.filter((log) => counted.has(keys.countedLog(log).pk));
}

const recordsOf = async (wanted: { pk: string; sk: string }[]): Promise<Map<string, Item>> =>
  new Map((await getItems(wanted)).map((item) => [item.sk, item]));

/**
 * Adds what a log has of a video to the sums of the video's days, of the days' videos and of its owner, once for each
 * log. False when it was added before.
 */
export function countVideo(log: string, video: OwnedVideo, counts: ReadonlyMap<string, Counts>): Promise<boolean> {
  const days: DayTotals = {};
  for (const [date, { views = 0, watchedMilliseconds = 0 }] of counts) days[date] = { views, watchedMilliseconds };
  const mark: Write = {
    put: {
      ...keys.countedVideo(log, video.ulid),
      kind: 'counted-video',
      days,
      expiresAt: nowSeconds() + countedLogSeconds,
    },
    when: { exists: false },
  };
  return tryTransact([mark, ...[...counts].flatMap(([date, added]) => viewWrites(video, date, added))]);
}
