import type { TrackOnDisk } from '../isobmff/track-on-disk.ts';

/**
 * Whether an audio track's frames follow one another from decode time 0 without hole or overlap: encoders give each frame the same number
 * of samples but for the last.
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
