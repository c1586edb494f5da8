import { type EncoderPreset, videoCodecFacts } from '../../shared/media/codecs.ts';
import type { Chunk, FrameGrid, Rung } from '../../shared/protocol/encode-spec.ts';

/** CPU time relative to preset medium. */
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
      sum +
      ((rung.width * rung.height) / 1e6) *
        videoCodecFacts[rung.codec].cpuSecondsPerMegapixel *
        presetFactor[rung.preset],
    0,
  );
  const startUp = 1;
  return startUp + frames * perFrame + (frames * grid.frameRate.den) / grid.frameRate.num / 50;
}
