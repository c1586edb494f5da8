import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { type EncoderContext, rateArgs, vbvInit } from './encoder-options.ts';
import { x265Hdr10 } from './hdr10-params.ts';

export function hevcArgs(rung: Rung, { gopFrames, pass, hdr10 }: EncoderContext): string[] {
  const params = [
    'log-level=error',
    `keyint=${gopFrames}:min-keyint=${gopFrames}:scenecut=0:open-gop=0`,
    ...vbvInit(rung.rate),
    // the headers list the settings, and the chunks of a rung can have different ones
    ...(rung.rate.mode === 'crf' ? ['info=0'] : []),
    ...(rung.level ? [`level-idc=${rung.level}`] : []),
    ...(hdr10 ? x265Hdr10(hdr10) : []),
    // ffmpeg does not forward -pass to x265
    ...(pass ? [`pass=${pass.number}:stats=${pass.statsFile}.x265`] : []),
  ];
  return [
    ...['-c:v', videoCodecProperties.hevc.encoder, '-preset', rung.preset, ...rateArgs(rung.rate)],
    ...(rung.profile ? ['-profile:v', rung.profile] : []),
    // Apple's players do not play hev1, the default
    ...['-tag:v', videoCodecProperties.hevc.sampleEntry, '-x265-params', params.join(':')],
  ];
}
