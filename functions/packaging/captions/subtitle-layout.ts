import { createHash } from 'node:crypto';
import type { MuxedTrack } from '../../job-results/packaged-track.ts';

/** How the text tracks of an HLS output are divided into WebVTT segments. */
export type SubtitleLayout = {
  /** names the layout: the segments of a text track are the same for all outputs that share it */
  id: string;
  /** the time stamp of the media, in ticks of 90 kHz, at second 0 of the output clock */
  clockStartTicks: number;
  /** the playlists of the output have dates, because its tracks start at different times */
  isDated: boolean;
  /** the segments on the output clock, without gaps */
  segments: { startMs: number; endMs: number }[];
};

/** One write per segment has to be made within two seconds, so there are few of them, also for a long video. */
const shortestSeconds = 30;
const maxSegments = 240;

/** Segments that begin and end with media segments of a track, and have several of them. */
export function subtitleLayout(
  track: MuxedTrack,
  { clockStartTicks, isDated }: Pick<SubtitleLayout, 'clockStartTicks' | 'isDated'>,
): SubtitleLayout {
  const { timescale } = track;
  const firstTicks = track.segments[0]?.startTicks ?? 0;
  const lastTicks = track.segments.reduce((end, { durationTicks }) => end + durationTicks, firstTicks);
  const wantedTicks = Math.max(shortestSeconds * timescale, (lastTicks - firstTicks) / maxSegments);
  const boundaries = [firstTicks];
  let endTicks = firstTicks;
  for (const { durationTicks } of track.segments) {
    endTicks += durationTicks;
    if (endTicks - boundaries.at(-1)! >= wantedTicks) boundaries.push(endTicks);
  }
  if (boundaries.at(-1) !== lastTicks) boundaries.push(lastTicks);
  const times = boundaries.map((ticks) => Math.round((ticks * 1000) / timescale));
  const segments = times.slice(1).map((endMs, index) => ({ startMs: times[index]!, endMs }));
  const id = createHash('sha256')
    .update(JSON.stringify([clockStartTicks, isDated, times]))
    .digest('hex')
    .slice(0, 16);
  return { id, clockStartTicks, isDated, segments };
}
