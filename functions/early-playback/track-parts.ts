import { chunkSegments, maxAudioSegments } from '../job-results/segment-counts.ts';
import type { Plan } from '../planning/encoding-plan.ts';
import { type PlannedTrack, plannedTracks } from '../planning/video/track-chunks.ts';
import type { JobId } from '../table/job-id.ts';

/** The segments of a track that one job encodes. */
export type TrackPart = {
  job: Pick<JobId, 'group' | 'index'> & { kind: 'encode-video' | 'encode-audio' };
  /** number of its first segment in the track */
  firstSegment: number;
  /** for audio an upper bound: segments end with the frame at their end */
  segmentCount: number;
};

/** A track of a plan with its parts in order. */
export type SegmentedTrack = { name: string; kind: 'video' | 'audio'; parts: TrackPart[] };

/** The video track of a plan with this name. */
export function rungOf(plan: Plan, name: string): PlannedTrack {
  const track = plannedTracks(plan).find(({ rung }) => rung.name === name);
  if (!track) throw new Error(`the plan has no rung ${name}`);
  return track;
}

/** A rung: the chunks of all groups that encode it, in order of their frames. */
export function rungTrack(plan: Plan, name: string): SegmentedTrack {
  const { grid, chunks } = rungOf(plan, name);
  const parts = chunks.map(
    ({ group, chunk }): TrackPart => ({
      job: { kind: 'encode-video', group, index: chunk.index },
      ...chunkSegments(grid, chunk),
    }),
  );
  return { name, kind: 'video', parts };
}

/** An audio track, which one job encodes as a whole. */
export function audioTrack(plan: Plan, name: string): SegmentedTrack {
  const index = plan.audio.findIndex((rendition) => rendition.name === name);
  const rendition = plan.audio[index];
  if (!rendition) throw new Error(`the plan has no audio track ${name}`);
  const segmentCount = maxAudioSegments(rendition.segmentSeconds, plan.durationSeconds);
  return {
    name,
    kind: 'audio',
    parts: [{ job: { kind: 'encode-audio', group: 0, index }, firstSegment: 0, segmentCount }],
  };
}
