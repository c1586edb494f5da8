import type { Chunk, FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { EncodeGroup } from './encode-groups.ts';

/** A video track of a plan with the chunks that make it, in order of their frames. */
export type PlannedTrack = { rung: Rung; grid: FrameGrid; chunks: { group: number; chunk: Chunk }[] };

/** The video tracks of a plan. The chunks of a track may be in several groups. */
export function plannedTracks({ groups }: { groups: EncodeGroup[] }): PlannedTrack[] {
  const tracks = new Map<string, PlannedTrack>();
  for (const { index, grid, rungs, chunks } of groups) {
    for (const rung of rungs) {
      const track = tracks.get(rung.name) ?? { rung, grid, chunks: [] };
      tracks.set(rung.name, track);
      for (const chunk of chunks) track.chunks.push({ group: index, chunk });
    }
  }
  for (const { chunks } of tracks.values()) chunks.sort((a, b) => a.chunk.startFrame - b.chunk.startFrame);
  return [...tracks.values()];
}
