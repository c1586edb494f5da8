import type { AudioTrack, FrameIndex, ProbeResult, VideoTrack } from '../../../shared/protocol/probe-result.ts';

/** A 1080p track of `frameCount` frames at 30 frames a second from second 0, a key frame every 2 s. */
export function videoTrack(changes: Partial<VideoTrack> & { frameCount: number }): VideoTrack {
  const timeBase = changes.timeBase ?? { num: 1, den: 15360 };
  const rate = changes.averageFrameRate ?? { num: 30, den: 1 };
  const startPts = changes.startPts ?? 0;
  const duration = (changes.frameCount * rate.den * timeBase.den) / (rate.num * timeBase.num);
  return {
    streamIndex: 0,
    codec: 'h264',
    width: 1920,
    height: 1080,
    sampleAspectRatio: { num: 1, den: 1 },
    rotationDegrees: 0,
    pixelFormat: 'yuv420p',
    bitDepth: 8,
    colorPrimaries: 'bt709',
    colorTransfer: 'bt709',
    colorSpace: 'bt709',
    colorRange: 'tv',
    hdr10: null,
    interlaced: false,
    timeBase,
    averageFrameRate: rate,
    constantFrameRate: true,
    startPts,
    endPts: startPts + Math.round(duration),
    bitrateBps: null,
    ...changes,
  };
}

export const audioTrack = (changes: Partial<AudioTrack> = {}): AudioTrack => ({
  streamIndex: 1,
  codec: 'aac',
  channels: 2,
  sampleRateHz: 48_000,
  language: 'en',
  isDefault: true,
  startSeconds: 0,
  durationSeconds: 60,
  ...changes,
});

export const probeOf = (changes: Partial<ProbeResult>): ProbeResult => ({
  formatName: 'mov,mp4,m4a,3gp,3g2,mj2',
  sizeBytes: 1_000_000,
  durationSeconds: 60,
  video: null,
  audio: [],
  clockSections: [],
  meta: {},
  warnings: [],
  decisions: [],
  cpuSeconds: 1,
  ...changes,
});

/** The index of a track whose frames are evenly spaced. */
export function evenIndex(track: VideoTrack, framesPerKeyFrame = 60, bytesPerFrame = 1000): FrameIndex {
  const { timeBase, averageFrameRate, frameCount, startPts } = track;
  const ticksPerFrame = (averageFrameRate.den * timeBase.den) / (averageFrameRate.num * timeBase.num);
  const pts = (frame: number) => startPts + Math.round(frame * ticksPerFrame);
  return {
    ptsDeltas: Array.from({ length: frameCount }, (_, frame) => (frame === 0 ? startPts : pts(frame) - pts(frame - 1))),
    endByteDeltas: Array(frameCount).fill(bytesPerFrame),
    keyFrames: Array.from(
      { length: Math.ceil(frameCount / framesPerKeyFrame) },
      (_, index) => index * framesPerKeyFrame,
    ),
  };
}
