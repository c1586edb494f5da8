import { type EncoderPreset, videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import type { Encoders } from '../../../shared/protocol/jobs.ts';
import { chromaLocation, type EncoderContext, lossy } from './encoder-options.ts';
import { svtAv1Hdr10 } from './hdr10-params.ts';

/**
 * An average bitrate is encoded as constant quality with that bitrate as the maximum. SVT-AV1's mode for average
 * bitrates (rc=1) gave one second of noise 1876 kbit/s at an average of 400 and a maximum of 600, and supports neither
 * buffer nor maximum; constant quality with a maximum stayed below 610.
 */
export function av1Args({ preset, ...rung }: Rung, { gopFrames, hdr10, encoders }: EncoderContext): string[] {
  const rate = lossy(rung.rate);
  const [crf, maxBitrateBps] =
    rate.mode === 'crf' ? [rate.crf, rate.maxBitrateBps] : [averageBitrateCrf, rate.bitrateBps];
  const wholeCrf = Math.floor(crf);
  const params = [
    // ffmpeg's own option takes whole numbers only
    ...(crf !== wholeCrf && av1CrfStep(encoders) < 1 ? [`crf=${crf}`] : []),
    ...(hdr10 ? svtAv1Hdr10(hdr10) : []),
  ];
  return [
    ...['-c:v', videoCodecProperties.av1.encoder, '-preset', presetsOf(encoders)[preset], '-crf', String(wholeCrf)],
    ...(maxBitrateBps === null ? [] : ['-maxrate', String(maxBitrateBps)]),
    ...['-g', String(gopFrames), ...chromaLocation],
    ...(params.length > 0 ? ['-svtav1-params', params.join(':')] : []),
  ];
}

/** A better quality is not visible, so a simple scene stays below its average bitrate. */
const averageBitrateCrf = 25;

/** SVT-AV1 4 takes a CRF in quarters. */
export const av1CrfStep = (encoders: Encoders): 0.25 | 1 => (majorVersion(encoders) >= 4 ? 0.25 : 1);

/** 0 for an unknown version. */
const majorVersion = ({ av1 = '' }: Encoders): number => Number(/ (\d+)\./.exec(av1)?.[1] ?? 0);

const presetsOf = (encoders: Encoders): Record<EncoderPreset, string> =>
  presets.findLast(({ from }) => majorVersion(encoders) >= from)!.presets;

/**
 * Presets of SVT-AV1 by its major version. Their numbers change their meaning from version to version, and since 3.0
 * the largest one for video on demand is 10; of those, 9 is about what 10 was. docs/encoding.md has the measurements.
 */
const presets: { from: number; presets: Record<EncoderPreset, string> }[] = [
  {
    from: 0,
    presets: {
      ultrafast: '12',
      superfast: '11',
      veryfast: '10',
      faster: '9',
      fast: '8',
      medium: '7',
      slow: '5',
      slower: '3',
    },
  },
  {
    from: 3,
    presets: {
      ultrafast: '10',
      superfast: '9',
      veryfast: '9',
      faster: '8',
      fast: '8',
      medium: '7',
      slow: '5',
      slower: '3',
    },
  },
];
