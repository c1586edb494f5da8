import type { Chunk, FrameGrid } from '../../shared/protocol/encode-spec.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { TrackOnDisk } from '../isobmff/track-on-disk.ts';

export const framesOf = (track: TrackOnDisk): number =>
  track.samplesBySegment.reduce((frames, samples) => frames + samples.length, 0);

/**
 * Compares the output of an encoder with the plan: each segment starts with a key frame and has segmentFrames frames
 * (the last one the rest), and the frames are on the grid without gaps or overlaps. Throws JobError OUTPUT_MISMATCH,
 * which is retried.
 */
export function checkChunkTrack(track: TrackOnDisk, grid: FrameGrid, chunk: Chunk): void {
  const wrong = (what: string): JobError => new JobError('OUTPUT_MISMATCH', `${track.name}: ${what}`);
  const planned = chunk.endFrame - chunk.startFrame;
  if (framesOf(track) !== planned) throw wrong(`${framesOf(track)} frames instead of ${planned}`);
  if (track.timescale !== grid.timescale) throw wrong(`timescale ${track.timescale} instead of ${grid.timescale}`);
  let frame = chunk.startFrame;
  for (const [index, segment] of track.segments.entries()) {
    const samples = track.samplesBySegment[index]!;
    const frames = Math.min(grid.segmentFrames, chunk.endFrame - frame);
    if (samples.length !== frames) throw wrong(`${samples.length} frames in ${segment.file} instead of ${frames}`);
    if (!samples[0]?.isSync) throw wrong(`${segment.file} does not start with a key frame`);
    const startTicks = grid.startTicks + frame * grid.ticksPerFrame;
    const times = samples.map((sample) => sample.compositionTicks).sort((a, b) => a - b);
    const offGrid = times.findIndex((ticks, n) => ticks !== startTicks + n * grid.ticksPerFrame);
    if (offGrid !== -1) throw wrong(`frame ${frame + offGrid} of ${segment.file} is at ${times[offGrid]} ticks`);
    if (segment.startTicks !== startTicks)
      throw wrong(`${segment.file} decodes from ${segment.startTicks}, not ${startTicks}`);
    if (segment.durationTicks !== frames * grid.ticksPerFrame)
      throw wrong(`${segment.file} lasts ${segment.durationTicks} ticks`);
    frame += frames;
  }
}
