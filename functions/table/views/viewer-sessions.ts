import { createHash } from 'node:crypto';
import * as z from 'zod';
import { nowSeconds } from '../../../shared/clock.ts';
import { held } from '../items/conditional.ts';
import { getItem, getItems, type Item, write } from '../items/items.ts';
import { keys } from '../items/keys.ts';

/** A sum without anything yet is not stored. */
const sum = z.number().default(0);
const toldSums = {
  stalledMilliseconds: sum,
  starvations: sum,
  /** how much longer responses took than the buffer lasted */
  lateMilliseconds: sum,
  errors: sum,
  /** bitrates by the durations of the objects that have them */
  kilobits: sum,
  kilobitMilliseconds: sum,
};

/** What a player has told of its playback. */
const toldRecord = z.object({
  startupMilliseconds: z.number().optional(),
  totalStalledMilliseconds: z.number().optional(),
  hasFailed: z.boolean().optional(),
  /** the last request of the picture, when its buffer would be empty, and what is in `lateMilliseconds` of it */
  asked: z.object({ atMs: z.number(), emptyAtMs: z.number(), lateMilliseconds: z.number() }).optional(),
  /** a request that says that the buffer was empty, of which the one before is not known yet */
  starvedAtMs: z.number().optional(),
  ...toldSums,
});
export type Told = z.infer<typeof toldRecord>;

/** One playback of a video by one viewer. */
const playbackRecord = z.object({
  /** the UTC day of its view */
  date: z.string(),
  /** a bit for each slot of the video's timeline that it has loaded */
  slots: z.instanceof(Uint8Array),
  /** bytes of progressive files, by the part of the plan that made them */
  files: z.record(z.string(), z.number()).optional(),
  told: toldRecord.optional(),
});
export type Playback = z.infer<typeof playbackRecord>;

/** Numbers by the name of the sum of the video's day that they are added to. */
const countsRecord = z.record(z.string(), z.number());
export type Counts = z.infer<typeof countsRecord>;

/** What the logs have of one session of a URL, or of one address for a public video. */
const sessionRecord = z.object({
  /** the log that has counted the session for the stage; absent for a public video */
  countedBy: z.string().optional(),
  /** raised with each change; absent in items that were written for `countedBy` alone */
  version: z.int().optional(),
  /** by what tells viewers of one URL apart; empty for those who are not told apart */
  playbacks: z.record(z.string(), playbackRecord).default({}),
  /** by log that may be read again: what it has added, by UTC day */
  added: z.array(z.object({ log: z.string(), days: z.record(z.string(), countsRecord) })).default([]),
  /** the last logs that are counted for good, as `logDigest` */
  counted: z.array(z.string()).default([]),
});
export type ViewerSession = z.infer<typeof sessionRecord>;

export const emptySession = (): ViewerSession => ({ playbacks: {}, added: [], counted: [] });

/** Names a log in fewer characters than its key has, which sessions are full of otherwise. */
export const logDigest = (log: string): string => createHash('sha256').update(log).digest('base64url').slice(0, 12);

/** How long sessions of signed URLs are kept: longer than logs come late, two weeks, and the URLs work, one week. */
const signedSeconds = 30 * 86_400;

/** The stored sessions, by ID. */
export async function findSessions(ids: readonly string[]): Promise<Map<string, ViewerSession>> {
  const items = await getItems(ids.map((id) => keys.playback(id)));
  const byKey = new Map(items.map((item): [string, Item] => [item.pk, item]));
  return new Map(
    ids.flatMap((id): [string, ViewerSession][] => {
      const item = byKey.get(keys.playback(id).pk);
      return item ? [[id, sessionRecord.parse(item)]] : [];
    }),
  );
}

/**
 * Changes a session by what `change` makes of its present state, again if another call was faster. Nothing is written
 * when it returns no session.
 * @param expiresAt seconds since 1970, for those of public videos
 */
export async function changeSession<Result>(
  id: string,
  known: ViewerSession | undefined,
  change: (present: ViewerSession) => { session: ViewerSession | undefined; result: Result },
  expiresAt: number = nowSeconds() + signedSeconds,
): Promise<Result> {
  const key = keys.playback(id);
  let present = known;
  for (;;) {
    const { session, result } = change(present ?? emptySession());
    if (!session) return result;
    const { version } = present ?? {};
    const playbacks = storedPlaybacks(session.playbacks);
    const put: Item = { ...key, kind: 'playback', ...session, playbacks, version: (version ?? 0) + 1, expiresAt };
    const when = !present
      ? { exists: false }
      : version === undefined
        ? { exists: true, absent: ['version'] }
        : { equals: { version } };
    if (await held(() => write({ put, when }))) return result;
    present = await getItem(sessionRecord, key);
  }
}

const storedPlaybacks = (playbacks: Readonly<Record<string, Playback>>): object =>
  Object.fromEntries(
    Object.entries(playbacks).map(([viewer, { told, ...playback }]) => [
      viewer,
      told ? { ...playback, told: withoutZeroSums(told) } : playback,
    ]),
  );

const withoutZeroSums = (told: Told): object =>
  Object.fromEntries(Object.entries(told).filter(([name, value]) => !(name in toldSums && value === 0)));
