import { toNumber } from '../../shared/media/rational.ts';
import { JobError } from '../../shared/protocol/job-errors.ts';
import type { AudioTrack, ProbeResult } from '../../shared/protocol/probe-result.ts';
import { timeFrames } from './video/frame-grid.ts';
import type { PlannedRung } from './video/rungs.ts';

/** A frame that repeats the one before takes about this much of a file, with its entry in the index; so does a second of silence. */
const leastBytes = 16;

const video = {
  /** One picture for an hour, at a frame a second. */
  baseFrames: 3600,
  /** A slide show that changes its picture every ten minutes, at a frame a second. */
  repeatsPerFrame: 600,
  /** An hour at 30 frames a second, or 30 hours of slides. More has to be paid for with bytes. */
  maxRepeats: 108_000,
};
const baseAudioSeconds = 4 * 3600;

type Source = Pick<ProbeResult, 'sizeBytes' | 'video'>;
type Wanted = { rungs: PlannedRung[]; audio: AudioTrack[]; originSeconds: number };

/**
 * Throws JobError INPUT_TOO_LARGE for a source that would become far more than it holds. Frames are repeated and silence is added where a source has
 * nothing, so two frames a day apart would become a day of video. An honest file is never refused: its own frames always fit.
 */
export function refuseAmplification(source: Source, { rungs, audio, originSeconds }: Wanted): void {
  for (const { frameRate, isCapped } of source.video ? rungs : []) {
    const timing = timeFrames(source.video!, frameRate, isCapped);
    const { frameCount } = source.video!;
    const mostFrames = maxOutputFrames(source.sizeBytes, frameCount);
    if (timing.frameCount <= mostFrames) continue;
    const perSecond = Math.round(toNumber(frameRate) * 100) / 100;
    throw tooLarge(
      `The video has ${frameCount} frames in ${duration(timing.frameCount / toNumber(frameRate))}. ` +
        `At ${perSecond} fps that would become ${timing.frameCount} frames; a file of this size may become ${mostFrames}.`,
    );
  }
  const audioSeconds = audio.reduce((sum, track) => sum + endOf(track) - originSeconds, 0);
  const mostSeconds = maxOutputAudioSeconds(source.sizeBytes);
  if (audioSeconds > mostSeconds) {
    throw tooLarge(
      `The audio lasts ${duration(audioSeconds)} in all tracks together. A file of this size may become ${duration(mostSeconds)} of audio.`,
    );
  }
}

/** The most frames that one encode may make of a file with `storedFrames` frames. */
export const maxOutputFrames = (sizeBytes: number, storedFrames: number): number =>
  video.baseFrames +
  storedFrames +
  Math.min(video.repeatsPerFrame * storedFrames, video.maxRepeats) +
  Math.floor(sizeBytes / leastBytes);

/** The most seconds of audio that one set of encodes may make of a file, all its tracks added up. */
export const maxOutputAudioSeconds = (sizeBytes: number): number =>
  baseAudioSeconds + Math.floor(sizeBytes / leastBytes);

const endOf = ({ startSeconds, durationSeconds }: AudioTrack): number => startSeconds + durationSeconds;

const advice = 'Cut out the time in which nothing happens, or correct the times in the file, and upload it again.';

const tooLarge = (found: string): JobError => new JobError('INPUT_TOO_LARGE', `${found} ${advice}`);

const duration = (seconds: number): string =>
  seconds < 7200 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 360) / 10} hours`;
