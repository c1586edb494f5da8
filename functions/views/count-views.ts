import { mapBounded } from '../common/concurrency.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { findPlan } from '../stored-plans/stored-plans.ts';
import { countVideo, type DayTotals, findCountedLogs, findCountedVideos } from '../table/views/counted-videos.ts';
import { findFileSizes, findViewedVideos, type ViewedVideo } from '../table/views/viewed-videos.ts';
import { secretExpiry } from '../table/views/viewer-secrets.ts';
import { changeSession, findSessions } from '../table/views/viewer-sessions.ts';
import { addTo, type DayCounts, type HeardPlayback, mergeSession } from './merge-session.ts';
import type { LoggedPlayback, LoggedSession, LoggedVideo } from './read-log.ts';
import { segmentSeconds, type Timeline, timelineOf } from './timeline.ts';

/** What a log adds for the stage. */
export type CountedViews = {
  days: DayTotals[];
  /** by session of a signed URL: whether this log is the one that counts it */
  sessions: Map<string, boolean>;
};

const videosAtOnce = 8;
const sessionsAtOnce = 10;

/**
 * Counts the views of an access log, once, however often it is read: each session remembers what the log has added, and
 * each video of the log has a mark, in the transaction that adds to its sums.
 * @param log the key of its object
 */
export async function countViews(log: string, videos: ReadonlyMap<string, LoggedVideo>): Promise<CountedViews> {
  const ulids = [...videos.keys()];
  const [counted, viewed] = await Promise.all([findCountedVideos(log, ulids), findViewedVideos(ulids)]);
  const result: CountedViews = { days: [], sessions: new Map() };
  await mapBounded(
    [...videos],
    async ([ulid, logged]) => {
      const video = viewed.get(ulid);
      const days = counted.get(ulid);
      if (days) {
        result.days.push(days);
        await recallSessions(log, logged, result);
      } else if (video) {
        result.days.push(await countLogged(log, video, logged, result));
      }
    },
    videosAtOnce,
  );
  return result;
}

const signedSessions = ({ sessions }: LoggedVideo): string[] =>
  [...sessions].flatMap(([id, { publicDate }]) => (publicDate === undefined ? [id] : []));

/** An earlier call has counted the video and died before the log was counted. */
async function recallSessions(log: string, logged: LoggedVideo, { sessions }: CountedViews): Promise<void> {
  const ids = signedSessions(logged);
  const stored = await findSessions(ids);
  for (const id of ids) {
    const countedBy = stored.get(id)?.countedBy;
    if (countedBy !== undefined) sessions.set(id, countedBy === log);
  }
}

async function countLogged(
  log: string,
  video: ViewedVideo,
  logged: LoggedVideo,
  { sessions }: CountedViews,
): Promise<DayTotals> {
  const heard = await hear(video, logged);
  const stored = await findSessions([...logged.sessions.keys()]);
  const others = [...stored.values()].flatMap(({ added }) => added.map((one) => one.log)).filter((one) => one !== log);
  const done = await findCountedLogs(video.ulid, [...new Set(others)]);
  const counts: DayCounts = new Map();
  await mapBounded(
    [...logged.sessions],
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
      if (publicDate === undefined) sessions.set(id, isFirst);
      for (const [date, added] of Object.entries(days)) {
        for (const [field, amount] of Object.entries(added)) addTo(counts, date, field, amount);
      }
    },
    sessionsAtOnce,
  );
  for (const [date, bytes] of logged.bytes) addTo(counts, date, 'bytes', bytes);
  if (await countVideo(log, video, counts)) return totalsOf(counts);
  return (await findCountedVideos(log, [video.ulid])).get(video.ulid) ?? {};
}

const totalsOf = (counts: DayCounts): DayTotals =>
  Object.fromEntries(
    [...counts].map(([date, { views = 0, watchedMilliseconds = 0 }]) => [date, { views, watchedMilliseconds }]),
  );

type Heard = { timeline: Timeline; sessions: Map<string, Map<string, HeardPlayback>> };

/** The playbacks of a log with times instead of files. */
async function hear(video: ViewedVideo, logged: LoggedVideo): Promise<Heard> {
  const playbacks = [...logged.sessions.values()].flatMap((session) => [...session.playbacks.values()]);
  const numbers = new Set(
    playbacks.flatMap(({ segments }) => [...segments.values()].map(({ track }) => track.planNumber)),
  );
  const plans = new Map<number, Plan | undefined>();
  for (const number of numbers) plans.set(number, await findPlan(video.ulid, number));
  const sizes = playbacks.some(({ files }) => files.size > 0) ? await findFileSizes(video.ulid) : new Map();
  const timeline = timelineOf(video.durationSeconds);
  const sessions = new Map(
    [...logged.sessions].map(([id, session]) => [id, heardSession(session, { video, plans, sizes, timeline })]),
  );
  return { timeline, sessions };
}

type Known = {
  video: ViewedVideo;
  plans: ReadonlyMap<number, Plan | undefined>;
  sizes: ReadonlyMap<string, number>;
  timeline: Timeline;
};

const heardSession = ({ playbacks }: LoggedSession, known: Known): Map<string, HeardPlayback> =>
  new Map([...playbacks].map(([viewer, playback]) => [viewer, heardPlayback(playback, known)]));

function heardPlayback(playback: LoggedPlayback, known: Known): HeardPlayback {
  const { date, hasMedia, files, told, soundBitrate } = playback;
  return {
    date,
    hasMedia,
    parts: partsOf(playback, known),
    files: [...files].flatMap(([name, { key, bytes }]) => {
      const fileBytes = known.sizes.get(key);
      return fileBytes === undefined
        ? []
        : [...bytes].map(([day, loaded]) => ({ date: day, name, bytes: loaded, fileBytes }));
    }),
    told: told && !known.video.hasPicture ? { ...told, ...soundBitrate } : told,
  };
}

/** Sound is loaded further ahead than the picture, so that it counts only where there is no picture. */
function partsOf({ segments }: LoggedPlayback, { video, plans, timeline }: Known): HeardPlayback['parts'] {
  return [...segments.values()].flatMap(({ track, dates }) => {
    const plan = plans.get(track.planNumber);
    const seconds = plan && segmentSeconds(plan, track);
    if (seconds === undefined || (video.hasPicture && track.kind === 'audio')) return [];
    return [...dates].map(([number, day]) => ({
      date: day,
      from: number * seconds,
      to: Math.min((number + 1) * seconds, timeline.durationSeconds),
    }));
  });
}
