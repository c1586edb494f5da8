import { createBoundedCache } from '../common/bounded-cache.ts';
import { findPlan } from '../stored-plans/stored-plans.ts';
import { findFileSizes, type ViewedVideo } from '../table/views/viewed-videos.ts';
import type { TrackName } from './delivered-file.ts';
import type { HeardPlayback } from './merge-session.ts';
import type { LoggedPlayback, LoggedSession, LoggedVideo } from './read-log.ts';
import { segmentSeconds, type Timeline, timelineOf } from './timeline.ts';

/**
 * How long the segments of a track are, null when its plan has no such track. Plans are immutable, and most of a log's
 * tracks were in the one before.
 */
const knownLengths = createBoundedCache<number | null>(20_000);

/** The lengths of segments by the name of the track. Those of a deleted plan are left out. */
async function findLengths(videoUlid: string, tracks: ReadonlyMap<string, TrackName>): Promise<Map<string, number>> {
  const lengths = new Map<string, number>();
  for (const [name, track] of tracks) {
    const key = `${videoUlid} ${name}`;
    let seconds = knownLengths.get(key);
    if (seconds === undefined) {
      const plan = await findPlan(videoUlid, track.planNumber);
      if (!plan) continue;
      seconds = segmentSeconds(plan, track) ?? null;
      knownLengths.set(key, seconds);
    }
    if (seconds !== null) lengths.set(name, seconds);
  }
  return lengths;
}

type Heard = { timeline: Timeline; sessions: Map<string, Map<string, HeardPlayback>> };

/** The playbacks of a log with times instead of files. */
export async function hear(video: ViewedVideo, logged: LoggedVideo): Promise<Heard> {
  const playbacks = [...logged.sessions.values()].flatMap((session) => [...session.playbacks.values()]);
  const tracks = playbacks.flatMap(({ segments }) => [...segments].map(([name, { track }]) => [name, track] as const));
  const lengths = await findLengths(video.ulid, new Map(tracks));
  const sizes = playbacks.some(({ files }) => files.size > 0) ? await findFileSizes(video.ulid) : new Map();
  const timeline = timelineOf(video.durationSeconds);
  const sessions = new Map(
    [...logged.sessions].map(([id, session]) => [id, heardSession(session, { video, lengths, sizes, timeline })]),
  );
  return { timeline, sessions };
}

type Known = {
  video: ViewedVideo;
  lengths: ReadonlyMap<string, number>;
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
function partsOf({ segments }: LoggedPlayback, { video, lengths, timeline }: Known): HeardPlayback['parts'] {
  return [...segments].flatMap(([name, { track, dates }]) => {
    const seconds = lengths.get(name);
    if (seconds === undefined || (video.hasPicture && track.kind === 'audio')) return [];
    return [...dates].map(([number, day]) => ({
      date: day,
      from: number * seconds,
      to: Math.min((number + 1) * seconds, timeline.durationSeconds),
    }));
  });
}
