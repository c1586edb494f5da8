import { toNumber } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { ProbeResult } from '../../shared/protocol/probe-result.ts';
import { type Presentation, presentedFrames } from './video/frame-grid.ts';
import { bytesPerUnit, maxOutputFrames } from './video/frame-rate.ts';
import type { PlannedRung } from './video/rungs.ts';

const baseAudioSeconds = 4 * 3600;

type Source = Pick<ProbeResult, 'sizeBytes' | 'video'>;
type Planned = { rungs: PlannedRung[]; audioTracks: number; presentation: Presentation };

/**
 * Throws JobError INPUT_TOO_LARGE for a source whose outputs would be far longer than its content. Gaps are filled with
 * repeated frames and silence, so two frames 24 hours apart would become 24 hours of video. A file without such gaps is
 * never refused.
 */
export function refuseAmplification(source: Source, { rungs, audioTracks, presentation }: Planned): void {
  for (const rung of source.video ? rungs : []) {
    const timing = presentedFrames(source.video!, rung, presentation);
    const { frameRate } = rung;
    const { frameCount } = source.video!;
    const maxFrames = maxOutputFrames(source.sizeBytes, frameCount);
    if (timing.frameCount <= maxFrames) continue;
    const perSecond = Math.round(toNumber(frameRate) * 100) / 100;
    throw tooLarge(
      `The video has ${frameCount} frames in ${duration(timing.frameCount / toNumber(frameRate))}. ` +
        `At ${perSecond} fps that would become ${timing.frameCount} frames; a file of this size may become ${maxFrames}.`,
    );
  }
  const audioSeconds = audioTracks * presentation.durationSeconds;
  const maxSeconds = maxOutputAudioSeconds(source.sizeBytes);
  if (audioSeconds > maxSeconds) {
    throw tooLarge(
      `The audio would last ${duration(audioSeconds)} in all tracks together. A file of this size may become ${duration(maxSeconds)} of audio.`,
    );
  }
}

/** The maximum seconds of output audio for a file, all its tracks together. */
export const maxOutputAudioSeconds = (sizeBytes: number): number =>
  baseAudioSeconds + Math.floor(sizeBytes / bytesPerUnit);

const advice = 'Cut out the empty parts, or correct the timestamps in the file, and upload it again.';

const tooLarge = (found: string): JobError => new JobError('INPUT_TOO_LARGE', `${found} ${advice}`);

const duration = (seconds: number): string =>
  seconds < 7200 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 360) / 10} hours`;
