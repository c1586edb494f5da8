import { defaults } from '../../shared/defaults.ts';
import type { AskedTracks } from '../../shared/protocol/asked-tracks.ts';
import type { AudioTrack, VideoTrack } from '../../shared/protocol/probe-result.ts';
import { capRate } from '../planning/video/frame-rate.ts';

/** A source that has not been uploaded: what its owner knows about it. */
export type AssumedSource = { width: number; height: number; fps: number; durationSeconds: number };

/**
 * The tracks of the source, as a probe would describe them: upright progressive video with square pixels and a constant
 * frame rate, and one stereo track of the same duration, or each of the audio tracks that the template names, in 5.1.
 */
export function assumedTracks(
  { width, height, fps, durationSeconds }: AssumedSource,
  asked?: AskedTracks,
): {
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
    audio: (asked?.audio ?? [1]).map((streamIndex) => ({
      streamIndex,
      codec: 'aac',
      channels: asked?.audio ? 6 : 2,
      ...(asked?.audio && { channelLayout: '5.1' }),
      sampleRateHz: defaults.audio.sampleRateHz,
      language: 'und',
      isDefault: true,
      startSeconds: 0,
      durationSeconds,
    })),
  };
}
