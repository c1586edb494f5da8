import { defaults } from '../../shared/defaults.ts';
import type { AudioTrack, VideoTrack } from '../../shared/protocol/probe-result.ts';
import { capRate } from '../planning/video/frame-rate.ts';

/** A source that has not been uploaded: what its owner knows about it. */
export type AssumedSource = { width: number; height: number; fps: number; durationSeconds: number };

/**
 * The tracks of the source, as a probe would describe them: upright progressive video with square pixels and a constant
 * frame rate, and one stereo track of the same duration.
 */
export function assumedTracks({ width, height, fps, durationSeconds }: AssumedSource): {
  video: VideoTrack;
  audio: AudioTrack[];
} {
  const frameRate = capRate(fps);
  const frameCount = Math.max(1, Math.round((durationSeconds * frameRate.num) / frameRate.den));
  return {
    video: {
      streamIndex: 0,
      codec: 'h264',
      width,
      height,
      sampleAspectRatio: { num: 1, den: 1 },
      rotationDegrees: 0,
      pixelFormat: defaults.pixelFormat,
      bitDepth: 8,
      colorPrimaries: null,
      colorTransfer: null,
      colorSpace: null,
      colorRange: null,
      hdr10: null,
      interlaced: false,
      // a tick is a frame
      timeBase: { num: frameRate.den, den: frameRate.num },
      averageFrameRate: frameRate,
      constantFrameRate: true,
      startPts: 0,
      endPts: frameCount,
      frameCount,
      bitrateBps: null,
    },
    audio: [
      {
        streamIndex: 1,
        codec: 'aac',
        channels: 2,
        sampleRateHz: defaults.audio.sampleRateHz,
        language: 'und',
        isDefault: true,
        startSeconds: 0,
        durationSeconds,
      },
    ],
  };
}
