import { now } from '../../shared/clock.ts';
import { makePlayable } from '../table/videos/early-playback.ts';
import {
  audioUpTo,
  codecsOf,
  type GrowingTrack,
  listSegments,
  readGrowingTrack,
  secondsOf,
  segmentedTrack,
} from './growing-track.ts';
import { keepsAhead } from './pacing.ts';
import type { RunningOutput } from './running-output.ts';
import { entryKeyOf, writeMultivariant } from './running-playlist.ts';

/**
 * Makes the output playable by its starter, as soon as the first segments of video and audio are stored and the encoder
 * is expected to stay ahead of a viewer.
 */
export async function startPlayback(running: RunningOutput): Promise<void> {
  const { plan, planned, video, output } = running;
  const starter = await readGrowingTrack(running, segmentedTrack(running, plan.starter!.rung), false);
  if (!staysAhead(starter, plan.durationSeconds)) return;
  const audio = await startedAudio(running);
  // Without the default track, players would have no sound.
  if (planned.audio.length > 0 && audio[0]?.track.name !== planned.audio[0]) return;

  const tracks = [starter, ...audio];
  const isEnd = tracks.every(({ available }) => available.reachesEnd);
  const videoSeconds = isEnd ? Number.POSITIVE_INFINITY : secondsOf(starter.available.segments);
  const isWritten = await Promise.all([
    listSegments(running, starter, starter.available.segments, isEnd),
    ...audio.map((track) => listSegments(running, track, audioUpTo(track, videoSeconds), isEnd)),
  ]);
  const listed = codecsOf(tracks);
  if (!isWritten.every(Boolean) || !(await writeMultivariant(running, listed))) return;
  await makePlayable(video, output, { entryKey: entryKeyOf(running), listed });
}

function staysAhead({ available: { start, segments } }: GrowingTrack, durationSeconds: number): boolean {
  if (!start) return false;
  const elapsedSeconds = (now() - Date.parse(start.startedAt)) / 1000;
  return keepsAhead({ frontierSeconds: secondsOf(segments), elapsedSeconds, durationSeconds });
}

/** The audio tracks with at least one stored segment. */
async function startedAudio(running: RunningOutput): Promise<GrowingTrack[]> {
  const tracks = await Promise.all(
    running.planned.audio.map((name) => readGrowingTrack(running, segmentedTrack(running, name), false)),
  );
  return tracks.filter(({ available }) => available.segments.length > 0);
}
