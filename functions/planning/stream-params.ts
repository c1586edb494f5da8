import { toNumber } from '../../shared/media/rational.ts';
import { formatBitrate } from '../templates/bitrate.ts';
import type { PlannedAudio } from './audio/audio-plan.ts';
import { frameSize, type PlannedRung } from './video/rungs.ts';

/**
 * stream.input_params of a rung: its actual size, frame rate and bitrates for this source, and the other settings as
 * requested.
 */
export function videoParams({ rung, entry, frameRate }: PlannedRung): Record<string, unknown> {
  const { rate } = rung;
  const bitrateBps = rate.mode === 'bitrate' ? rate.bitrateBps : rate.maxBitrateBps;
  const params = {
    codec: rung.codec,
    ...frameSize(rung),
    bitrate: bitrateBps === null ? undefined : formatBitrate(bitrateBps),
    max_bitrate: entry.max_bitrate && rate.maxBitrateBps ? formatBitrate(rate.maxBitrateBps) : undefined,
    buffer_size: entry.buffer_size && rate.bufferBits ? formatBitrate(rate.bufferBits) : undefined,
    crf: entry.crf,
    fps: entry.fps && Math.round(toNumber(frameRate) * 1000) / 1000,
    profile: entry.profile,
    level: rung.level ?? undefined,
    pixel_format: rung.pixelFormat === 'yuv420p' ? undefined : rung.pixelFormat,
    two_pass: (rate.mode === 'bitrate' && rate.twoPass) || undefined,
    preset: entry.preset,
    gop: entry.gop,
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** stream.input_params of an audio rendition, with its actual channels, bitrate and sample rate for this source. */
export const audioParams = ({ rendition }: PlannedAudio): Record<string, unknown> => ({
  codec: rendition.codec,
  bitrate: formatBitrate(rendition.bitrateBps),
  channels: rendition.channels,
  sample_rate: rendition.sampleRateHz,
  language: rendition.language,
  ...(rendition.loudnessLufs !== null && { loudness: rendition.loudnessLufs }),
});
