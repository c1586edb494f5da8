import * as z from 'zod';
import { timestamp } from '../clock.ts';
import { newUlid } from '../ids.ts';
import type { Write } from './items.ts';
import { keys } from './keys.ts';
import { countItems, queryLatest } from './ranges.ts';

const subject = z.object({ type: z.string(), id: z.int(), ulid: z.string().nullable() });

const activityRecord = z.object({
  event: z.string(),
  /** what the action was about: video, template, token, profile … */
  logName: z.string(),
  description: z.string(),
  subject: subject.nullable(),
  properties: z.record(z.string(), z.unknown()),
  createdAt: z.string(),
});
export type Activity = z.infer<typeof activityRecord>;

type ActivityEvent = Omit<Activity, 'createdAt'> & {
  /** whose history it belongs to: the user who acted */
  userUlid: string;
};

/** One line of a user's history, for the transaction of the action it tells of. `properties` are shown to the user: never put secrets there. */
export function activityWrite({ userUlid, ...activity }: ActivityEvent): Write {
  return {
    put: { ...keys.activity(userUlid, newUlid()), kind: 'activity', ...activity, createdAt: timestamp() },
  };
}

/**
 * A page of a user's history, newest first, and how long the history is. `position` counts a user's lines from 1 in the order of their making;
 * since none is ever removed it serves as their id.
 */
export async function listActivity(
  userUlid: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ total: number; lines: (Activity & { position: number })[] }> {
  const { pk } = keys.activity(userUlid, '');
  const total = await countItems(pk);
  if (offset >= total) return { total, lines: [] };
  const items = (await queryLatest(pk, offset + limit)).slice(offset);
  return {
    total,
    lines: items.map((item, index) => ({ ...activityRecord.parse(item), position: total - offset - index })),
  };
}
