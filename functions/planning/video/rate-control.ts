import type { RateControl } from '../../../shared/protocol/encode-spec.ts';
import { parseBitrate } from '../../templates/bitrate.ts';
import type { VideoEntry } from '../../templates/query-structure.ts';

/** Encoders fail to reach lower bitrates, and decoders do not keep up with higher ones. */
const minBitrateBps = 16_000;
const maxBitrateBps = 400_000_000;
/** Lower limit when a bitrate is reduced because the source is smaller than the requested size. */
const minClampedBitrateBps = 100_000;

const withinLimits = (bitrateBps: number): number => Math.min(maxBitrateBps, Math.max(minBitrateBps, bitrateBps));

/**
 * Rate control of a rung. `pixelShare` is the share of the requested pixels that the result has, below 1 only for small
 * sources. Bitrates are scaled by it to the power of 0.75, since small frames need more bits per pixel. By default the
 * maximum is 1.5 times and the buffer twice the bitrate.
 */
export function rateControl(entry: VideoEntry, pixelShare: number): RateControl {
  const scaled = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const asked = withinLimits(parseBitrate(text));
    return Math.min(asked, Math.max(minClampedBitrateBps, Math.round(asked * pixelShare ** 0.75)));
  };
  const bitrate = scaled(entry.bitrate);
  const cap = scaled(entry.max_bitrate);
  const buffer = scaled(entry.buffer_size);

  if (entry.crf !== undefined) {
    const max = bitrate === undefined ? cap : Math.min(bitrate, cap ?? bitrate);
    if (max === undefined) return { mode: 'crf', crf: entry.crf, maxBitrateBps: null, bufferBits: null };
    return { mode: 'crf', crf: entry.crf, maxBitrateBps: max, bufferBits: buffer ?? 2 * max };
  }
  const average = Math.min(bitrate ?? minClampedBitrateBps, cap ?? Number.POSITIVE_INFINITY);
  return {
    mode: 'bitrate',
    bitrateBps: average,
    maxBitrateBps: cap ?? Math.round(1.5 * average),
    bufferBits: buffer ?? 2 * average,
    twoPass: entry.two_pass,
  };
}
