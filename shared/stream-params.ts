import type { PlannedAudio } from './audio-plan.ts';
import { formatBitrate } from './bitrate.ts';
import { frameSize, type PlannedRung } from './rungs.ts';

/** stream.input_params of a rung: the size it has for this source, the bitrate or cap that is really used, and what else was asked for. */
export function videoParams({ rung, entry }: PlannedRung): Record<string, unknown> {
  const bitrateBps = rung.rate.mode === 'bitrate' ? rung.rate.bitrateBps : rung.rate.maxBitrateBps;
  const params = {
    codec: rung.codec,
    ...frameSize(rung),
    bitrate: bitrateBps === null ? undefined : formatBitrate(bitrateBps),
    max_bitrate: entry.max_bitrate && rung.rate.maxBitrateBps ? formatBitrate(rung.rate.maxBitrateBps) : undefined,
    crf: entry.crf,
    fps: entry.fps,
    profile: entry.profile,
    preset: entry.preset,
    gop: entry.gop,
  };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
}

/** stream.input_params of an audio rendition. */
export const audioParams = ({ entry, rendition }: PlannedAudio): Record<string, unknown> => ({
  codec: rendition.codec,
  bitrate: formatBitrate(rendition.bitrateBps),
  channels: entry.channels,
  sample_rate: rendition.sampleRateHz,
  language: rendition.language,
});
