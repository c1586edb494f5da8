import { type VideoCodec, videoCodecFacts, videoCodecs } from '../../shared/media/codecs.ts';

/**
 * The level in the RFC 6381 codec string of a video track, as templates write it: `3.1`. Undefined when it has none.
 */
export function codecLevel(codecs: string): string | undefined {
  const [family, ...parts] = codecs.split('.');
  const codec = videoCodecs.find((each) => videoCodecFacts[each].sampleEntry === family);
  const level = codec && levelReaders[codec](parts);
  return level !== undefined && level > 0 ? level.toFixed(1) : undefined;
}

/** Each reads the parts of a codec string after the sample entry. */
const levelReaders: Record<VideoCodec, (parts: string[]) => number> = {
  // profile_idc, constraint flags and level_idc, one byte each
  h264: ([config = '']) => Number.parseInt(config.slice(4, 6), 16) / 10,
  // letter of the tier, then general_level_idc
  hevc: (parts) => Number(parts.find((part) => /^[LH]\d+$/.test(part))?.slice(1)) / 30,
  // seq_level_idx, then letter of the tier
  av1: ([, level = '']) => av1Level(Number.parseInt(level, 10)),
  vp9: ([, level = '']) => Number(level) / 10,
};

/** AV1 specification, annex A.3: four minor levels for each major level, from 2.0. */
const av1Level = (index: number): number => 2 + Math.floor(index / 4) + (index % 4) / 10;
