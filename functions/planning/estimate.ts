import type { Chunk, EncoderPreset, FrameGrid, Rung, VideoCodec } from '../../shared/protocol/encode-spec.ts';

/** CPU seconds of one core per million pixels at preset medium, measured on current x86 servers; only ratios matter for scheduling. */
const secondsPerMegapixel: Record<VideoCodec, number> = { h264: 0.02, hevc: 0.08, av1: 0.06, vp9: 0.1 };

const presetFactor: Record<EncoderPreset, number> = {
  ultrafast: 0.2,
  superfast: 0.3,
  veryfast: 0.4,
  faster: 0.6,
  fast: 0.8,
  medium: 1,
  slow: 1.8,
  slower: 4,
};

/** CPU seconds that a chunk is thought to take: for queue order and for deciding on workers, never for a result. */
export function chunkSeconds(chunk: Chunk, grid: FrameGrid, rungs: Rung[]): number {
  const frames = chunk.endFrame - chunk.startFrame;
  const perFrame = rungs.reduce(
    (sum, rung) =>
      sum + ((rung.width * rung.height) / 1e6) * secondsPerMegapixel[rung.codec] * presetFactor[rung.preset],
    0,
  );
  const startUp = 1;
  return startUp + frames * perFrame + (frames * grid.frameRate.den) / grid.frameRate.num / 50;
}
