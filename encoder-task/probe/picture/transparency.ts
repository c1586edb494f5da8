import type { ProbeStream } from '../../../shared/protocol/probe-document.ts';
import type { VideoTrack } from '../../../shared/protocol/probe-result.ts';

/** Pixel formats with an alpha channel. */
const alphaFormats = /^(yuva|gbrap|ya\d|ayuv|vuya|[ra]gba|argb|abgr|bgra|rgba)/;

/**
 * Whether frames have an alpha channel. That of VP8 and VP9 is a second stream in WebM, which a tag announces.
 * Undefined for other video, whose pixels are all opaque.
 */
export function readTransparency({ codec_name, pix_fmt, tags }: ProbeStream, head: Buffer): VideoTrack['transparency'] {
  if (codec_name === 'gif') return startsTransparent(head) ? 'declared' : 'possible';
  if (codec_name === 'vp8' || codec_name === 'vp9') return tags?.alpha_mode === '1' ? 'declared' : undefined;
  const hasPalette = codec_name === 'png' && pix_fmt === 'pal8';
  return hasPalette || alphaFormats.test(pix_fmt ?? '') ? 'declared' : undefined;
}

const blocks = { extension: 0x21, graphicControl: 0xf9 };

/**
 * Whether the first frame of a GIF has transparent pixels. In later frames they usually are those that do not change.
 */
function startsTransparent(gif: Buffer): boolean {
  const hasGlobalColors = ((gif[10] ?? 0) & 0x80) !== 0;
  let at = 13 + (hasGlobalColors ? 3 * 2 ** ((gif[10]! & 7) + 1) : 0);
  while (gif[at] === blocks.extension) {
    if (gif[at + 1] === blocks.graphicControl) return ((gif[at + 3] ?? 0) & 1) === 1;
    at += 2;
    // sub-blocks, each after its length; one without bytes is the last
    while (gif[at]) at += gif[at]! + 1;
    at += 1;
  }
  return false;
}
