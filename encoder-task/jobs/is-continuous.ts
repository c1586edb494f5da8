import type { TrackOnDisk } from '../isobmff/track-on-disk.ts';

/**
 * Whether the frames of an audio track are continuous from decode time 0. All frames except the last have the same
 * duration.
 */
export function isContinuous({ segments, samplesBySegment }: TrackOnDisk): boolean {
  let ticks = 0;
  for (const segment of segments) {
    if (segment.startTicks !== ticks) return false;
    ticks += segment.durationTicks;
  }
  const samples = samplesBySegment.flat();
  return samples.slice(0, -1).every((sample) => sample.durationTicks === samples[0]?.durationTicks);
}
