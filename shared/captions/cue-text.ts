export type CaptionFormat = 'vtt' | 'srt';

/**
 * Tags of WebVTT with their classes. Only `v` and `lang` have an annotation: the name of a speaker, and a language.
 * Others could be attributes for a player that makes HTML of cues, so they are left out.
 */
const knownTag = {
  vtt: /^(\/(?:c|i|b|u|v|ruby|rt|lang)|(?:c|i|b|u|ruby|rt|v|lang)(?:\.[\w-]+)*)(?:\s([^\n]*))?$/,
  srt: /^\/?(?:i|b|u)$/i,
} as const;
const timestampTag = /^(?:\d{2,4}:)?[0-5]\d:[0-5]\d\.\d{3}$/;
const characterReference = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/iy;
/** Positions, fonts and colors of SubStation Alpha, which many SubRip files have */
const overrides = /\{\\[^{}\n]{0,200}\}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;

/**
 * Cue text as WebVTT has it. Unknown tags are removed, and what stays of `<`, `>` and `&` is escaped, so that no text
 * becomes a tag, a time or a part of a playlist. Takes time in proportion to the length.
 */
export function normalizeText(text: string, format: CaptionFormat): string {
  const clean = text.replace(controls, '');
  return escapeText(format === 'srt' ? clean.replace(overrides, '') : clean, format).trim();
}

function escapeText(text: string, format: CaptionFormat): string {
  const parts: string[] = [];
  let tagEnd = -1;
  for (let at = 0; at < text.length; ) {
    const next = nextSpecial(text, at);
    parts.push(text.slice(at, next));
    if (next === text.length) break;
    const character = text[next]!;
    at = next + 1;
    if (character === '>') parts.push('&gt;');
    else if (character === '&') {
      const reference = format === 'vtt' ? referenceAt(text, next) : '';
      parts.push(reference || '&amp;');
      at = next + (reference.length || 1);
    } else {
      // Searched once for many `<`: a search for each would take quadratic time.
      if (tagEnd < next) tagEnd = nextOr(text, '>', next);
      const tag = text.slice(next + 1, Math.min(tagEnd, next + maxTagLength));
      if (tagEnd === text.length || tag.includes('<') || !/^[/\da-z]/i.test(tag)) parts.push('&lt;');
      else {
        parts.push(normalizeTag(tag, format));
        at = tagEnd + 1;
      }
    }
  }
  return parts.join('');
}

const maxTagLength = 1000;

const special = /[<>&]/g;

function nextSpecial(text: string, from: number): number {
  special.lastIndex = from;
  return special.exec(text)?.index ?? text.length;
}

function nextOr(text: string, searched: string, from: number): number {
  const found = text.indexOf(searched, from);
  return found === -1 ? text.length : found;
}

function referenceAt(text: string, at: number): string {
  characterReference.lastIndex = at;
  return characterReference.exec(text)?.[0] ?? '';
}

/** The tag, or nothing in place of a tag that WebVTT does not know. */
function normalizeTag(tag: string, format: CaptionFormat): string {
  if (format === 'vtt' && timestampTag.test(tag)) return `<${tag}>`;
  // `-->` would be read as a time.
  const [whole, name = '', annotation = ''] = knownTag[format].exec(tag) ?? [];
  if (whole === undefined || tag.endsWith('--')) return '';
  if (format === 'srt') return `<${tag.toLowerCase()}>`;
  const kept = /^(?:v|lang)(?:\.|$)/.test(name) ? annotation.replace(/["'`=]/g, '').trim() : '';
  return `<${name}${kept && ` ${kept.replace(/&(?![#\w]{1,32};)/g, '&amp;')}`}>`;
}
