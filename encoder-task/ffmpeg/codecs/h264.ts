import { videoCodecProperties } from '../../../shared/media/codecs.ts';
import type { Rung } from '../../../shared/protocol/encode-spec.ts';
import { type EncoderContext, gopArgs, lossy, passArgs, profileArgs, rateArgs, vbvInit } from './encoder-options.ts';

export function h264Args(
  rung: Rung,
  { gopFrames, pass, coreShare, lookahead, dropsClosedCaptions }: EncoderContext,
): string[] {
  const params = [
    `threads=${threadCount(coreShare)}`,
    ...vbvInit(rung.rate),
    sameHeaders,
    // sync-lookahead adds frames for a lookahead thread, which only cost memory
    ...(lookahead === null ? [] : [`rc-lookahead=${lookahead}`, 'sync-lookahead=0']),
  ];
  return [
    ...[
      '-c:v',
      videoCodecProperties.h264.encoder,
      '-preset',
      rung.preset,
      ...rateArgs(lossy(rung.rate)),
      ...profileArgs(rung),
    ],
    ...['-x264-params', params.join(':'), ...gopArgs(gopFrames)],
    // key frames at scene cuts would differ between rungs
    ...['-sc_threshold', '0', '-flags', '+cgop'],
    // x264 writes the captions of its frames by default
    ...(dropsClosedCaptions ? ['-a53cc', '0'] : []),
    ...passArgs(pass),
  ];
}

/**
 * By default x264 starts 1.5 threads per core of the machine for every rung, and each thread holds a frame. A ladder of
 * five rungs would use the memory of five machines. With a single thread, all other rungs would wait for the slowest.
 */
const threadCount = (coreShare: number): number => Math.max(2, Math.ceil(1.5 * coreShare));

/**
 * The headers, which all chunks of a rung share, would depend on the CRF, of which chunks can have different ones, and
 * with two passes on the quality that the first pass found.
 */
const sameHeaders = 'stitchable=1';
