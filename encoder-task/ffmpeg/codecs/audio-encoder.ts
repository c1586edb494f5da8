import { type AudioCodec, audioCodecProperties } from '../../../shared/media/codecs.ts';
import type { AudioRendition } from '../../../shared/protocol/encode-spec.ts';

export const audioEncoderArgs = (rendition: AudioRendition): string[] => [
  ...['-c:a', audioCodecProperties[rendition.codec].encoder, '-b:a', String(rendition.bitrateBps)],
  ...extraArgs[rendition.codec](rendition),
];

/** Arguments of one encoder only. */
const extraArgs: Record<AudioCodec, (rendition: AudioRendition) => string[]> = {
  aac: () => [],
  // mapping family 1 signals the channel layout of more than two channels
  opus: ({ channels }) => (channels > 2 ? ['-mapping_family', '1'] : []),
};

/** ffmpeg's name of the channel layout. Encoders reject channels without a layout, and some sources have none. */
export function channelLayout({ channels, codec }: Pick<AudioRendition, 'channels' | 'codec'>): string {
  const codecLayouts: Readonly<Record<number, string>> = audioCodecProperties[codec].channelLayouts;
  return codecLayouts[channels] ?? layouts[channels] ?? `${channels}c`;
}

const layouts: Record<number, string> = {
  1: 'mono',
  2: 'stereo',
  3: '3.0',
  4: '4.0',
  5: '5.0',
  6: '5.1',
  7: '6.1',
  8: '7.1',
};
