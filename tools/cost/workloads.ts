import { defaults } from '../../shared/defaults.ts';
import type { VideoCodec } from '../../shared/media/codecs.ts';
import type { VideoWork } from '../../shared/pricing/video-cost.ts';

/**
 * CPU seconds of ffmpeg (user and system) for a minute of 1080p30 with motion, noise and audio, measured by
 * `node lab/bench/encode-cpu.ts` with 20 s of source: probe, all rungs, audio and thumbnails. Other load on the
 * machine has little effect. The video is harder to encode than most, because noise does not compress.
 */
export const measured = { date: '2026-11-21', machine: 'AMD EPYC (x86-64), 2 vCPU, ffmpeg 5.1' } as const;

export type Workload = {
  /** slug of the built-in template */
  template: string;
  cpuSecondsPerMinute: number;
  /** video codec, if there is video */
  codec: VideoCodec;
  /** heights of the renditions of a 1080p source */
  heights: readonly number[];
} & Pick<VideoWork, 'outputs' | 'segmentSeconds'>;

/** The work on a video of `minutes`. */
export const workOf = (workload: Workload, minutes: number): VideoWork => ({
  durationSeconds: minutes * 60,
  cpuSeconds: workload.cpuSecondsPerMinute * minutes,
  chunks: chunksOf(workload, minutes * 60),
  renditions: workload.heights.length,
  segmentSeconds: workload.segmentSeconds,
  outputs: workload.outputs,
});

/**
 * Chunks of the default length. A video of several renditions that plays while it is encoded has its first three
 * segments apart: those of the rendition that plays first in two short chunks, those of the others in one.
 */
function chunksOf({ heights, outputs, segmentSeconds }: Workload, seconds: number): number {
  const shortSeconds = 3 * segmentSeconds;
  const chunks = (length: number): number => Math.max(1, Math.round(length / defaults.chunkSeconds));
  if (heights.length === 0) return 0;
  if (heights.length === 1 || outputs.manifests === 0 || seconds < 2 * shortSeconds) return chunks(seconds);
  return 3 + chunks(seconds - shortSeconds);
}

export const workloads: readonly Workload[] = [
  {
    template: 'hls-auto-1080p',
    cpuSecondsPerMinute: 290,
    codec: 'h264',
    heights: [1080, 720, 480, 360, 240],
    outputs: { manifests: 1, copies: 0 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'hls-h264-fixed',
    cpuSecondsPerMinute: 283,
    codec: 'h264',
    heights: [1080, 720, 480, 360],
    outputs: { manifests: 1, copies: 0 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'hls-ts-compat',
    cpuSecondsPerMinute: 138,
    codec: 'h264',
    heights: [720, 432, 234],
    outputs: { manifests: 0, copies: 1 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'hls-dash-hevc-4k',
    cpuSecondsPerMinute: 583,
    codec: 'hevc',
    heights: [1080, 720, 540, 480, 360],
    outputs: { manifests: 2, copies: 0 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'dash-vp9-opus',
    cpuSecondsPerMinute: 629,
    codec: 'vp9',
    heights: [1080, 720, 480],
    outputs: { manifests: 1, copies: 0 },
    segmentSeconds: 4,
  },
  {
    template: 'dash-av1',
    cpuSecondsPerMinute: 470,
    codec: 'av1',
    heights: [1080, 720, 540, 480, 360],
    outputs: { manifests: 2, copies: 0 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'mp4-720p',
    cpuSecondsPerMinute: 152,
    codec: 'h264',
    heights: [720],
    outputs: { manifests: 0, copies: 1 },
    segmentSeconds: defaults.segmentSeconds,
  },
  {
    template: 'audio-only',
    cpuSecondsPerMinute: 7,
    codec: 'h264',
    heights: [],
    outputs: { manifests: 1, copies: 1 },
    segmentSeconds: defaults.segmentSeconds,
  },
];
