import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import type { Deliveries } from '../../common/access-log.ts';
import { tryTransact } from '../items/conditional.ts';
import { ConditionFailed, getItems, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';
import { analyticsWrites } from '../writes/analytics-writes.ts';

const playback = z.object({ pk: z.string(), countedBy: z.string() });

/** Longer than a proxy keeps what it could not ship, two weeks, and a session lives, one week. */
const playbackSeconds = 30 * 86_400;
/** Longer than any event of a store comes late. */
export const countedLogSeconds = 100 * 86_400;
const claimsAtOnce = 20;

/** What a log adds to the views of the stage. */
type Views = {
  days: readonly Readonly<Record<string, { views: number; watchedMilliseconds: number }>>[];
  /** whether this log counts a session, of those for which it is decided already */
  sessions: ReadonlyMap<string, boolean>;
};

/** Whether an access log was counted completely. */
export const isCounted = async (logKey: string): Promise<boolean> =>
  (await getItems([keys.countedLog(logKey)])).length > 0;

/**
 * Adds the counts of an access log to the sums of its days, once for each log. A session is counted by the first log
 * that has it, however many logs and proxies have it.
 * @returns false when the log was counted before
 */
export async function countDeliveries(
  logKey: string,
  { bytes, sessions }: Deliveries,
  views: Views = { days: [], sessions: new Map() },
): Promise<boolean> {
  const undecided = [...sessions.keys()].filter((session) => !views.sessions.has(session));
  const claimed = await claimSessions(logKey, undecided);
  const first = [...claimed, ...[...views.sessions].flatMap(([session, isFirst]) => (isFirst ? [session] : []))];
  const dates = [...new Set([...bytes.keys(), ...sessions.values(), ...views.days.flatMap(Object.keys)])];
  const begun = (date: string): number => first.filter((session) => sessions.get(session) === date).length;
  const viewed = (date: string, of: 'views' | 'watchedMilliseconds'): number =>
    views.days.reduce((sum, days) => sum + (days[date]?.[of] ?? 0), 0);
  const expiresAt = nowSeconds() + countedLogSeconds;
  return tryTransact([
    { put: { ...keys.countedLog(logKey), kind: 'counted-log', expiresAt }, when: { exists: false } },
    ...dates.flatMap((date) =>
      analyticsWrites(date, {
        bytes: bytes.get(date) ?? 0,
        sessions: begun(date),
        views: viewed(date, 'views'),
        watchedMs: viewed(date, 'watchedMilliseconds'),
      }),
    ),
  ]);
}

/**
 * Claims the sessions that this log counts. The claim names the log, so that a repeated call counts the same sessions.
 */
async function claimSessions(logKey: string, sessions: string[]): Promise<string[]> {
  const items = (await getItems(sessions.map((session) => keys.playback(session)))).map((item) => playback.parse(item));
  const countedBy = new Map(items.map(({ pk, countedBy }) => [pk, countedBy]));
  const claimed: string[] = [];
  const left = [...sessions];
  const work = async (): Promise<void> => {
    for (let session = left.pop(); session !== undefined; session = left.pop()) {
      const holder = countedBy.get(keys.playback(session).pk);
      if (holder === logKey || (holder === undefined && (await claim(session, logKey)))) claimed.push(session);
    }
  };
  await Promise.all(Array.from({ length: claimsAtOnce }, work));
  return claimed;
}

async function claim(session: string, countedBy: string): Promise<boolean> {
  const expiresAt = nowSeconds() + playbackSeconds;
  try {
    await write({
      put: { ...keys.playback(session), kind: 'playback', countedBy, expiresAt },
      when: { exists: false },
    });
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another log was faster, or the same one in an invocation beside this.
    const [item] = await getItems([keys.playback(session)]);
    return playback.parse(item).countedBy === countedBy;
  }
}
