import { mapBounded } from '../common/concurrency.ts';
import { countVideo, type DayTotals, findCountedLogs, findCountedVideos } from '../table/views/counted-videos.ts';
import { findViewedVideos, type ViewedVideo } from '../table/views/viewed-videos.ts';
import { secretExpiry } from '../table/views/viewer-secrets.ts';
import { changeSession, findSessions, type ViewerSession } from '../table/views/viewer-sessions.ts';
import { hear } from './hear-playbacks.ts';
import { addTo, type DayCounts, mergeSession } from './merge-session.ts';
import type { LoggedVideo } from './read-log.ts';

/** What a log adds for the stage. */
export type CountedViews = {
  days: DayTotals[];
  /** by session of a signed URL: whether this log is the one that counts it */
  sessions: Map<string, boolean>;
};

const videosAtOnce = 8;
const sessionsAtOnce = 10;
/** How many sessions are in memory at a time. */
const sessionsInBatch = 400;

type Batch = [ulid: string, logged: LoggedVideo][];
type ReadSessions = (ids: readonly string[]) => Promise<Map<string, ViewerSession>>;
type Call = {
  log: string;
  readSessions: ReadSessions;
  countedLogs: (logs: readonly string[]) => Promise<ReadonlySet<string>>;
  result: CountedViews;
};

/**
 * Counts the views of an access log, once, however often it is read: each session remembers what the log has added, and
 * each video of the log has a mark, in the transaction that adds to its sums.
 * @param log the key of its object
 */
export async function countViews(log: string, videos: ReadonlyMap<string, LoggedVideo>): Promise<CountedViews> {
  const ulids = [...videos.keys()];
  const [counted, viewed] = await Promise.all([findCountedVideos(log, ulids), findViewedVideos(ulids)]);
  const result: CountedViews = { days: [], sessions: new Map() };
  const countedLogs = createCountedLogs(log);
  for (const batch of batchesOf(videos)) {
    const call: Call = { log, readSessions: await sessionReader(batch), countedLogs, result };
    await mapBounded(
      batch,
      async ([ulid, logged]) => {
        const video = viewed.get(ulid);
        const days = counted.get(ulid);
        if (days) {
          result.days.push(days);
          await recallSessions(call, logged);
        } else if (video) {
          result.days.push(await countLogged(call, video, logged));
        }
      },
      videosAtOnce,
    );
  }
  return result;
}

/** Videos with few sessions are read together. */
function batchesOf(videos: ReadonlyMap<string, LoggedVideo>): Batch[] {
  const batches: Batch[] = [];
  let sessions = Number.POSITIVE_INFINITY;
  for (const [ulid, logged] of videos) {
    sessions += logged.sessions.size;
    if (sessions > sessionsInBatch) {
      batches.push([]);
      sessions = logged.sessions.size;
    }
    batches.at(-1)?.push([ulid, logged]);
  }
  return batches;
}

/** Reads the sessions of a batch at once, unless it is one video with too many of them. */
async function sessionReader(batch: Batch): Promise<ReadSessions> {
  const ids = batch.flatMap(([, { sessions }]) => [...sessions.keys()]);
  if (ids.length > sessionsInBatch) return findSessions;
  const stored = await findSessions(ids);
  return async () => stored;
}

/** Asks once about each of the other logs. */
function createCountedLogs(log: string): Call['countedLogs'] {
  const asked = new Set([log]);
  const counted = new Set<string>();
  return async (logs) => {
    const unknown = [...new Set(logs)].filter((one) => !asked.has(one));
    for (const one of unknown) asked.add(one);
    for (const one of await findCountedLogs(unknown)) counted.add(one);
    return counted;
  };
}

/** An earlier call has counted the video and died before the log was counted. */
async function recallSessions({ log, readSessions, result }: Call, { sessions }: LoggedVideo): Promise<void> {
  const signed = [...sessions].flatMap(([id, { publicDate }]) => (publicDate === undefined ? [id] : []));
  for (const ids of chunksOf(signed, sessionsInBatch)) {
    const stored = await readSessions(ids);
    for (const id of ids) {
      const countedBy = stored.get(id)?.countedBy;
      if (countedBy !== undefined) result.sessions.set(id, countedBy === log);
    }
  }
}

async function countLogged(call: Call, video: ViewedVideo, logged: LoggedVideo): Promise<DayTotals> {
  const { log, readSessions, countedLogs, result } = call;
  const heard = await hear(video, logged);
  const counts: DayCounts = new Map();
  for (const sessions of chunksOf([...logged.sessions], sessionsInBatch)) {
    const stored = await readSessions(sessions.map(([id]) => id));
    const added = sessions.flatMap(([id]) => stored.get(id)?.added ?? []);
    const done = await countedLogs(added.map((one) => one.log));
    await mapBounded(
      sessions,
      async ([id, { publicDate }]) => {
        const { days, isFirst } = await changeSession(
          id,
          stored.get(id),
          (present) =>
            mergeSession(present, {
              log,
              countsSession: publicDate === undefined,
              timeline: heard.timeline,
              heard: heard.sessions.get(id) ?? new Map(),
              isCounted: (other) => done.has(other),
            }),
          publicDate === undefined ? undefined : secretExpiry(publicDate),
        );
        if (publicDate === undefined) result.sessions.set(id, isFirst);
        for (const [date, fields] of Object.entries(days)) {
          for (const [field, amount] of Object.entries(fields)) addTo(counts, date, field, amount);
        }
      },
      sessionsAtOnce,
    );
  }
  for (const [date, bytes] of logged.bytes) addTo(counts, date, 'bytes', bytes);
  if (await countVideo(log, video, counts)) return totalsOf(counts);
  return (await findCountedVideos(log, [video.ulid])).get(video.ulid) ?? {};
}

const totalsOf = (counts: DayCounts): DayTotals =>
  Object.fromEntries(
    [...counts].map(([date, { views = 0, watchedMilliseconds = 0 }]) => [date, { views, watchedMilliseconds }]),
  );

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, number) =>
    items.slice(number * size, (number + 1) * size),
  );
