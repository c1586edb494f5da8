import { type EncoderPreset, videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import { chromaLocation, type EncoderContext, gopArgs, passArgs, rateArgs } from './encoder-options.ts';

export function vp9Args(rung: Rung, { gopFrames, pass }: EncoderContext): string[] {
  const { rate } = rung;
  const { cpuUsed, ...preset } = presets[rung.preset];
  // the real-time encoder writes no statistics
  const deadline = pass ? 'good' : preset.deadline;
  const quality =
    rate.mode === 'crf'
      ? // constrained quality: -b:v is the maximum bitrate, 0 means none
        ['-crf', String(rate.crf), '-b:v', String(rate.maxBitrateBps ?? 0)]
      : rateArgs(rate);
  return [
    ...['-c:v', videoCodecProperties.vp9.encoder, '-deadline', deadline, '-cpu-used', String(cpuUsed), ...quality],
    ...['-row-mt', '1', '-tile-columns', rung.width >= 1280 ? '2' : '1'],
    ...gopArgs(gopFrames),
    ...chromaLocation,
    ...passArgs(pass),
  ];
}

/**
 * One tick per frame, unless the clock starts between two frames. ffmpeg 5 passes every frame to libvpx with a duration
 * of one tick. With shorter ticks, the first frames of a chunk get hardly any bits: SSIM 0.90 instead of 0.99.
 */
export const vp9EncoderTimeBase = ({ timescale, ticksPerFrame, startTicks }: FrameGrid): string =>
  startTicks % ticksPerFrame === 0 ? `${ticksPerFrame}:${timescale}` : `1:${timescale}`;

const presets: Record<EncoderPreset, { deadline: 'realtime' | 'good'; cpuUsed: number }> = {
  ultrafast: { deadline: 'realtime', cpuUsed: 8 },
  superfast: { deadline: 'realtime', cpuUsed: 7 },
  veryfast: { deadline: 'realtime', cpuUsed: 6 },
  faster: { deadline: 'good', cpuUsed: 5 },
  fast: { deadline: 'good', cpuUsed: 4 },
  medium: { deadline: 'good', cpuUsed: 3 },
  slow: { deadline: 'good', cpuUsed: 2 },
  slower: { deadline: 'good', cpuUsed: 1 },
};
