import { type CaptionFormat, normalizeText } from '../../shared/captions/cue-text.ts';
import type { TextCodec } from '../../shared/protocol/text-tracks.ts';
import { assText } from './ass-text.ts';
import { movText } from './mov-text.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const decode = (bytes: Buffer): string => utf8.decode(bytes);

/** The text of a packet with its tags, and whether other text is plain (SubRip) or escaped (WebVTT), by codec. */
const decoders: Record<TextCodec, { format: CaptionFormat; decode: (bytes: Buffer) => string }> = {
  subrip: { format: 'srt', decode },
  text: { format: 'srt', decode },
  webvtt: { format: 'vtt', decode },
  ass: { format: 'vtt', decode: (bytes) => assText(decode(bytes)) },
  ssa: { format: 'vtt', decode: (bytes) => assText(decode(bytes)) },
  mov_text: { format: 'vtt', decode: movText },
};

/**
 * The text of a packet as WebVTT has it, empty when it shows none.
 * @throws TypeError or RangeError when the packet is damaged
 */
export function packetText(codec: TextCodec, bytes: Buffer): string {
  const { format, decode: decodeText } = decoders[codec];
  // Some muxers end each text with a zero byte, which is removed with other control characters.
  const text = normalizeText(decodeText(bytes).replace(/\r\n?/g, '\n'), format);
  // The text of a cue ends at an empty line.
  return text.replace(/\n(?:[ \t]*\n)+/g, '\n');
}
