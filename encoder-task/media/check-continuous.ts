import type { EncodedTrack } from '../../shared/encode.ts';
import { JobError } from '../../shared/job-errors.ts';

/** Throws JobError OUTPUT_MISMATCH unless the segments follow one another from decode time 0 without hole or overlap. */
export function checkContinuous(track: EncodedTrack): void {
  let ticks = 0;
  for (const segment of track.segments) {
    if (segment.startTicks !== ticks) {
      throw new JobError('OUTPUT_MISMATCH', `${segment.file} starts at ${segment.startTicks}, not at ${ticks} ticks`);
    }
    ticks += segment.durationTicks;
  }
}
