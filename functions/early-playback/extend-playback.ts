import type { EarlyPlayback } from '../table/records.ts';
import { recordListing } from '../table/videos/early-playback.ts';
import {
  audioUpTo,
  type GrowingTrack,
  listedSeconds,
  listSegments,
  readGrowingTrack,
  secondsOf,
  segmentedTrack,
} from './growing-track.ts';
import { listMoreRungs } from './more-rungs.ts';
import { releasedCount } from './pacing.ts';
import type { RunningOutput } from './running-output.ts';

/** Nothing is left to list: the playlists are replaced when the output is packaged. */
const never = '9999-12-31T00:00:00.000000Z';

/** Lists what was stored since the last call, and other rungs as soon as they are far enough. */
export async function extendPlayback(running: RunningOutput, known: EarlyPlayback): Promise<void> {
  const names = Object.keys(known.listed);
  // The record was read before another call made the output playable. Without tracks, all of them would have ended.
  if (names.length === 0) return;
  const tracks = await Promise.all(names.map((name) => readGrowingTrack(running, segmentedTrack(running, name), true)));
  // A playlist that is not growing was written by packaging.
  if (tracks.some(({ playlist }) => playlist === undefined)) return;
  const isEnd = tracks.every(({ available }) => available.reachesEnd);
  await listStored(running, tracks, isEnd);
  if (isEnd) await recordListing(running.video, { dueAt: never });
  else await listMoreRungs(running, known);
}

/**
 * All playlists end together. Until then video is released evenly, and audio is listed as far as the rung that began
 * first.
 */
async function listStored(running: RunningOutput, tracks: GrowingTrack[], isEnd: boolean): Promise<void> {
  const released = ({ available: { segments } }: GrowingTrack) =>
    isEnd ? segments : segments.slice(0, releasedCount(segments.length));
  const starter = tracks.find(({ track }) => track.name === running.plan.starter?.rung)!;
  const videoSeconds = isEnd ? Number.POSITIVE_INFINITY : listedSeconds(starter) + secondsOf(released(starter));
  await Promise.all(
    tracks.map((one) => {
      const segments = one.track.kind === 'video' ? released(one) : audioUpTo(one, videoSeconds);
      return listSegments(running, one, segments, isEnd);
    }),
  );
}
