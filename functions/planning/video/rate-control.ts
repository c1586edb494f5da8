import type { RateControl } from '../../../shared/protocol/encode-spec.ts';
import { parseBitrate } from '../../templates/bitrate.ts';
import type { VideoEntry } from '../../templates/query-structure.ts';

/** Below it encoders give up the frame rate or the picture; above it no decoder keeps pace. */
const minBitrateBps = 16_000;
const maxBitrateBps = 400_000_000;
/** A rung made smaller than it was asked to be keeps at least this. */
const minClampedBitrateBps = 100_000;

const withinLimits = (bitrateBps: number): number => Math.min(maxBitrateBps, Math.max(minBitrateBps, bitrateBps));

/**
 * How a rung spends bits. `shrink` is the result's share of the pixels that were asked for, 1 unless the source is smaller; bits follow pixels
 * to the power of 0.75, since small pictures need more of them for each pixel. The cap is 1.5 times the bitrate unless given, the buffer twice.
 */
export function rateControl(entry: VideoEntry, shrink: number): RateControl {
  const scaled = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const asked = withinLimits(parseBitrate(text));
    return Math.min(asked, Math.max(minClampedBitrateBps, Math.round(asked * shrink ** 0.75)));
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
