import { isUnsupported, type VideoCodec } from '../../../shared/media/codecs.ts';
import type { FrameGrid, Rung } from '../../../shared/protocol/encode-spec.ts';
import type { Encoders } from '../../../shared/protocol/jobs.ts';
import { av1Args, av1CrfStep } from './av1.ts';
import type { EncoderContext, VideoEncoder } from './encoder-options.ts';
import { h264Args } from './h264.ts';
import { hevcArgs } from './hevc.ts';
import { vp9Args, vp9EncoderTimeBase } from './vp9.ts';

/** One argv builder per codec. */
const encoders: Record<VideoCodec, VideoEncoder> = { h264: h264Args, hevc: hevcArgs, av1: av1Args, vp9: vp9Args };

export const videoEncoderArgs = (rung: Rung, context: EncoderContext): string[] => encoders[rung.codec](rung, context);

/** The smallest difference of CRF that is used. x264 and x265 take any decimals, but less changes hardly anything. */
const crfSteps: Record<VideoCodec, (encoders: Encoders) => 0.25 | 1> = {
  h264: () => 0.25,
  hevc: () => 0.25,
  av1: av1CrfStep,
  vp9: () => 1,
};

export const crfStep = (codec: VideoCodec, encoders: Encoders): 0.25 | 1 => crfSteps[codec](encoders);

/** Codecs whose encoder needs another time base than the grid's ticks. */
const timeBases: Partial<Record<VideoCodec, (grid: FrameGrid) => string>> = { vp9: vp9EncoderTimeBase };

export const encoderTimeBase = ({ codec }: Rung, grid: FrameGrid): string =>
  timeBases[codec]?.(grid) ?? `1:${grid.timescale}`;

export const usesTwoPasses = ({ codec, rate }: Rung): boolean =>
  rate.mode === 'bitrate' && rate.twoPass && !isUnsupported(codec, 'two_pass');
