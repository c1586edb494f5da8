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

const startUpSeconds = 1;
/** seconds of source that one core decodes, and that it copies, in a second */
const decodeSpeed = 50;
const copySpeed = 500;

/** The usual CPU seconds of a job that is too small for an estimate. */
export const usualSeconds = 10;

/**
 * Estimated CPU seconds of a chunk: for the order of the queue, the number of workers and quotas, never for a result.
 */
export function estimatedCpuSeconds(
  chunk: Pick<Chunk, 'startFrame' | 'endFrame'>,
  { frameRate }: Pick<FrameGrid, 'frameRate'>,
  rungs: Rung[],
): number {
  const frames = chunk.endFrame - chunk.startFrame;
  const encodeSecondsPerFrame = rungs.reduce((sum, rung) => sum + encodeSeconds(rung), 0);
  const durationSeconds = (frames * frameRate.den) / frameRate.num;
  const isCopy = rungs.length > 0 && rungs.every(({ copied }) => copied);
  return startUpSeconds + frames * encodeSecondsPerFrame + durationSeconds / (isCopy ? copySpeed : decodeSpeed);
}

const encodeSeconds = ({ width, height, codec, preset, copied }: Rung): number =>
  copied ? 0 : ((width * height) / 1e6) * videoCodecFacts[codec].cpuSecondsPerMegapixel * presetFactor[preset];
