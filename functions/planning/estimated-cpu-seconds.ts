import {
  type AudioCodec,
  type EncoderPreset,
  isUnsupported,
  type VideoCodec,
  videoCodecProperties,
} from '../../shared/media/codecs.ts';
import type { AudioRendition, Chunk, FrameGrid, Rung } from '../../shared/protocol/encode-spec.ts';
import type { ThumbnailsSpec, UploadedPosterSpec } from '../../shared/protocol/jobs.ts';
import { repeatedSegments } from '../../shared/protocol/repeated-segments.ts';

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

/**
 * CPU time of two passes relative to that of one, measured with 360p: x264's first pass takes about as long with each
 * preset, x265's as long as the second one, and libvpx's second pass is slower than a single one.
 */
const twoPassFactor: Record<VideoCodec, (preset: EncoderPreset) => number> = {
  h264: (preset) => 0.75 + Math.min(1, 0.3 / presetFactor[preset]),
  hevc: () => 2,
  vp9: () => 1.5,
  av1: () => 1,
};

const startUpSeconds = 1;
/** seconds of source that one core decodes, and that it copies, in a second */
const decodeSpeed = 50;
const copySpeed = 500;

/** CPU seconds of one minute of stereo, measured; those of 5.1 are 1.4 times as many. */
const audioSecondsPerMinute: Record<AudioCodec, number> = { aac: 0.65, opus: 0.45 };
/** To measure the loudness of one minute, and to change it. */
const loudnessSecondsPerMinute = 1.2;

/** The usual CPU seconds of a job that is too small for an estimate. */
export const usualSeconds = 10;

/** CPU seconds to open a source at a time and decode a picture, and to encode the parts of a preview. */
export const seekCpuSeconds = { min: 0.2, usual: 0.7, max: 3 };

/** Estimated CPU seconds of the job that makes poster, sprites, images and preview. */
export function estimatedThumbnailSeconds(spec: ThumbnailsSpec | UploadedPosterSpec): number {
  if ('image' in spec) return usualSeconds;
  const seeks = (spec.images?.atSeconds.length ?? 0) + (spec.preview?.startSeconds.length ?? 0);
  return usualSeconds + seeks * seekCpuSeconds.usual;
}

/**
 * Estimated CPU seconds of a chunk: for the order of the queue, the number of workers and quotas, never for a result.
 */
export function estimatedCpuSeconds(
  chunk: Pick<Chunk, 'startFrame' | 'endFrame' | 'pictures' | 'heldBefore'>,
  grid: Pick<FrameGrid, 'frameRate'> | FrameGrid,
  rungs: Rung[],
): number {
  const { pictures, frames } = workOf(chunk, grid);
  const encodeSecondsPerFrame = rungs.reduce((sum, rung) => sum + encodeSeconds(rung), 0);
  const durationSeconds = (pictures * grid.frameRate.den) / grid.frameRate.num;
  // Both passes decode the chunk.
  const decodes = rungs.some(hasTwoPasses) ? 2 : 1;
  const isCopy = rungs.length > 0 && rungs.every(({ copied }) => copied);
  return (
    startUpSeconds + frames * encodeSecondsPerFrame + (decodes * durationSeconds) / (isCopy ? copySpeed : decodeSpeed)
  );
}

/** CPU time of a frame that repeats the one before, relative to others, measured with x264. */
const repeatedFrameShare = 0.3;

/** The pictures to decode, and the frames to encode in terms of those that show a new one. */
function workOf(
  chunk: Pick<Chunk, 'startFrame' | 'endFrame' | 'pictures' | 'heldBefore'>,
  grid: Pick<FrameGrid, 'frameRate'> | FrameGrid,
): { pictures: number; frames: number } {
  const all = chunk.endFrame - chunk.startFrame;
  const encoded = 'gopFrames' in grid ? all - repeatedSegments(grid, chunk) * grid.segmentFrames : all;
  const pictures = Math.min(chunk.pictures ?? all, encoded);
  return { pictures, frames: pictures + (encoded - pictures) * repeatedFrameShare };
}

function encodeSeconds(rung: Rung): number {
  const { width, height, codec, preset, copied } = rung;
  if (copied) return 0;
  const onePass = ((width * height) / 1e6) * videoCodecProperties[codec].cpuSecondsPerMegapixel * presetFactor[preset];
  return hasTwoPasses(rung) ? onePass * twoPassFactor[codec](preset) : onePass;
}

const hasTwoPasses = ({ codec, rate, copied }: Rung): boolean =>
  !copied && rate.mode === 'bitrate' && rate.twoPass && !isUnsupported(codec, 'two_pass');

/** Estimated CPU seconds of the encode of one audio rendition. */
export function estimatedAudioSeconds(
  { codec, channels, loudnessLufs }: Pick<AudioRendition, 'codec' | 'channels' | 'loudnessLufs'>,
  durationSeconds: number,
): number {
  const encodeSecondsPerMinute = audioSecondsPerMinute[codec] * (0.8 + 0.1 * channels);
  const perMinute = encodeSecondsPerMinute + (loudnessLufs === null ? 0 : loudnessSecondsPerMinute);
  return startUpSeconds + (durationSeconds / 60) * perMinute;
}
