import { type EncoderPreset, videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { type EncoderContext, lossy } from './encoder-options.ts';
import { svtAv1Hdr10 } from './hdr10-params.ts';

/**
 * An average bitrate is encoded as constant quality with that bitrate as the maximum. SVT-AV1's mode for average
 * bitrates (rc=1) gave one second of noise 1876 kbit/s at an average of 400 and a maximum of 600, and supports neither
 * buffer nor maximum; constant quality with a maximum stayed below 610.
 */
export function av1Args({ preset, ...rung }: Rung, { gopFrames, hdr10 }: EncoderContext): string[] {
  const rate = lossy(rung.rate);
  const [crf, maxBitrateBps] =
    rate.mode === 'crf' ? [rate.crf, rate.maxBitrateBps] : [averageBitrateCrf, rate.bitrateBps];
  return [
    ...['-c:v', videoCodecProperties.av1.encoder, '-preset', presets[preset], '-crf', String(crf)],
    ...(maxBitrateBps === null ? [] : ['-maxrate', String(maxBitrateBps)]),
    ...['-g', String(gopFrames)],
    ...(hdr10 ? ['-svtav1-params', svtAv1Hdr10(hdr10).join(':')] : []),
  ];
}

/** A better quality is not visible, so a simple scene stays below its average bitrate. */
const averageBitrateCrf = 25;

const presets: Record<EncoderPreset, string> = {
  ultrafast: '12',
  superfast: '11',
  veryfast: '10',
  faster: '9',
  fast: '8',
  medium: '7',
  slow: '5',
  slower: '3',
};
