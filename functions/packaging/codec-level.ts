import { videoCodecProperties, videoCodecs } from '../../shared/media/codecs.ts';

/** The level in an RFC 6381 codec string of a video track, in the notation of templates: `3.1`. Undefined if absent. */
export function codecLevel(codecs: string): string | undefined {
  const [family, ...parts] = codecs.split('.');
  const codec = videoCodecs.find((each) => videoCodecProperties[each].sampleEntry === family);
  const level = codec && videoCodecProperties[codec].levelOf(parts);
  return level !== undefined && level > 0 ? level.toFixed(1) : undefined;
}
