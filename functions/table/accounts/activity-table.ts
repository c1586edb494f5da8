import { encodeTime } from 'ulid';
import * as z from 'zod';
import { now } from '../../../shared/clock.ts';
import { getItem, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { countRange, queryLatest } from '../items/ranges.ts';

const subject = z.object({ type: z.string(), id: z.int().nullable(), ulid: z.string().nullable() });

const activityRecord = z.object({
  event: z.string(),
  /** the subject of the action: video, upload, template, token, profile … */
  logName: z.string(),
  description: z.string(),
  subject: subject.nullable(),
  properties: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
});
export type Activity = z.infer<typeof activityRecord>;

/**
 * A page of a user's activity, newest first, with the total number of lines. `position` counts a user's lines from 1 in
 * order of creation. It serves as their id, since no line is ever deleted.
 */
export async function listActivity(
  userUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; lines: (Activity & { position: number })[] }> {
  const { pk } = keys.activity(userUlid, '');
  const total = await countActivity(userUlid);
  if (offset >= total) return { total, lines: [] };
  const items = (await queryLatest(pk, offset + limit)).slice(offset);
  return {
    total,
    lines: items.map((item, index) => ({ ...activityRecord.parse(item), position: total - offset - index })),
  };
}

/**
 * How many lines there are up to one of them, so that the lines before it are not counted for each page.
 */
const countRecord = z.object({ lines: z.int(), upTo: z.string() });

/** How many lines may be counted for each page. */
const uncountedLines = 500;

/**
 * Counts the lines of a user. A counter would cost each action a second write, for a number that is rarely needed. No
 * line is deleted, and none is written a day late, so the count of older lines stays valid.
 */
async function countActivity(userUlid: string): Promise<number> {
  const { pk } = keys.activity(userUlid, '');
  const known = (await getItem(countRecord, keys.activityCount(userUlid))) ?? { lines: 0, upTo: '0' };
  const later = await countRange(pk, known.upTo, newest);
  if (later > uncountedLines) {
    const upTo = `${encodeTime(now() - dayMilliseconds)}${'Z'.repeat(16)}`;
    if (upTo > known.upTo) {
      const lines = known.lines + (await countRange(pk, known.upTo, upTo));
      await write({ put: { ...keys.activityCount(userUlid), kind: 'counts', lines, upTo } });
    }
  }
  return known.lines + later;
}

const dayMilliseconds = 24 * 3600 * 1000;
const newest = 'Z'.repeat(26);
