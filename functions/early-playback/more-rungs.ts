import { now } from '../../shared/clock.ts';
import type { EarlyPlayback } from '../table/records.ts';
import { recordListing } from '../table/videos/early-playback.ts';
import { availableSegments } from './available-segments.ts';
import { codecsOf, listSegments, ownerOf, readGrowingTrack, secondsOf, segmentedTrack } from './growing-track.ts';
import { keepsAhead } from './pacing.ts';
import type { RunningOutput } from './running-output.ts';
import { writeMultivariant } from './running-playlist.ts';
import type { SegmentedTrack } from './track-parts.ts';

/** A player needs the second segment before the first one ends. */
const minSegments = 2;

type Frontier = EarlyPlayback['frontiers'][string];

/**
 * Lists rungs whose encoder is expected to stay ahead of viewers who start now. Players read the multivariant playlist
 * once, so viewers who started earlier keep the rungs that they have.
 */
export async function listMoreRungs(running: RunningOutput, known: EarlyPlayback): Promise<void> {
  const unlisted = running.planned.video.filter((name) => known.listed[name] === undefined);
  const sets = Map.groupBy(
    unlisted.map((name) => segmentedTrack(running, name)),
    partsOf,
  );
  const frontiers: EarlyPlayback['frontiers'] = {};
  let listed = known.listed;
  for (const rungs of sets.values()) {
    const [{ name }] = rungs as [SegmentedTrack];
    const frontier = await advancedFrontier(running, rungs[0]!, known.frontiers[name]);
    if (!frontier) continue;
    if (isAhead(frontier, running)) listed = { ...listed, ...(await startPlaylists(running, rungs)) };
    else frontiers[name] = frontier;
  }
  const isMore = Object.keys(listed).length > Object.keys(known.listed).length;
  if (isMore && !(await writeMultivariant(running, listed))) return;
  if (isMore || JSON.stringify(frontiers) !== JSON.stringify(known.frontiers)) {
    await recordListing(running.video, { listed, frontiers });
  }
}

/** Rungs that the same jobs encode are equally far. */
const partsOf = ({ parts }: SegmentedTrack): string => parts.map(({ job }) => `${job.group}-${job.index}`).join();

/** Reads only jobs behind the known frontier. Undefined before the first segment is stored. */
async function advancedFrontier(
  { video, plan }: RunningOutput,
  track: SegmentedTrack,
  known: Frontier | undefined,
): Promise<Frontier | undefined> {
  const { segments, start } = await availableSegments(ownerOf(video), plan, track, known?.count ?? 0);
  const startedAt = known?.startedAt ?? start?.startedAt;
  if (startedAt === undefined) return undefined;
  return {
    count: (known?.count ?? 0) + segments.length,
    seconds: (known?.seconds ?? 0) + secondsOf(segments),
    startedAt,
  };
}

function isAhead({ count, seconds, startedAt }: Frontier, { plan: { durationSeconds } }: RunningOutput): boolean {
  const elapsedSeconds = (now() - Date.parse(startedAt)) / 1000;
  return count >= minSegments && keepsAhead({ frontierSeconds: seconds, elapsedSeconds, durationSeconds });
}

/** The codec strings of the rungs whose playlists were written. */
async function startPlaylists(running: RunningOutput, rungs: SegmentedTrack[]): Promise<Record<string, string>> {
  const tracks = await Promise.all(rungs.map((rung) => readGrowingTrack(running, rung, false)));
  const isWritten = await Promise.all(tracks.map((one) => listSegments(running, one, one.available.segments, false)));
  return codecsOf(tracks.filter((_, index) => isWritten[index]));
}
