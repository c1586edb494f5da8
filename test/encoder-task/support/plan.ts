import { gunzipSync } from 'node:zlib';
import { planChunks } from '../../../functions/planning/video/chunks.ts';
import { frameGrid, timeFrames } from '../../../functions/planning/video/frame-grid.ts';
import { sourceRate } from '../../../functions/planning/video/frame-rate.ts';
import { videoSource } from '../../../functions/planning/video/video-source.ts';
import type { Chunk, FrameGrid, Rung, VideoSource } from '../../../shared/protocol/encode-spec.ts';
import type { FrameIndex, ProbeResult } from '../../../shared/protocol/probe-result.ts';

type Plan = { source: VideoSource; grid: FrameGrid; chunks: Chunk[]; frames: number };

/**
 * The plan of the service, with segments of half a second and chunks of one second, so that a short clip has several.
 */
export function planFor(probed: ProbeResult, gzippedIndex: Buffer, originSeconds?: number): Plan {
  const track = probed.video!;
  const timing = timeFrames(track, sourceRate(track), false);
  const grid = frameGrid(timing, {
    originSeconds: originSeconds ?? timing.sourceStartSeconds,
    gopSeconds: 0.25,
    segmentSeconds: 0.5,
  });
  const { frameCount, pictures } = timing;
  const source = { track, frames: readIndex(gzippedIndex), formatName: probed.formatName };
  const chunks = planChunks(source, grid, {
    frameCount,
    pictures,
    startFrame: 0,
    endFrame: frameCount,
    targetChunkSeconds: 1,
  });
  return { source: videoSource(track, probed), grid, chunks, frames: frameCount };
}

export const smallRung = (name: string, more: Partial<Rung> = {}): Rung => ({
  name,
  codec: 'h264',
  width: 160,
  height: 90,
  crop: null,
  pad: null,
  rate: { mode: 'crf', crf: 18, maxBitrateBps: 2_000_000, bufferBits: 4_000_000 },
  profile: null,
  level: null,
  preset: 'superfast',
  pixelFormat: 'yuv420p',
  ...more,
});

export const readIndex = (gzipped: Buffer): FrameIndex => JSON.parse(gunzipSync(gzipped).toString());
