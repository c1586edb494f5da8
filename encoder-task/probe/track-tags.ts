import { maxTrackTitleLength } from '../../shared/protocol/text-tracks.ts';

/** Maximum length of a tag (RFC 5646, 4.4.1). */
const maxTagLength = 35;

/**
 * The language of a container as a BCP 47 tag: ISO 639-2 codes become two-letter codes if there are any, invalid values
 * become `und`.
 */
export function languageTag(language: string | undefined): string {
  if (!language || language.length > maxTagLength) return 'und';
  try {
    const tag = Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0];
    return tag !== undefined && tag.length <= maxTagLength ? tag : 'und';
  } catch {
    return 'und';
  }
}

/** Many files say only in the title of a track that it is a commentary. */
export const commentaryTitle = /comment(ary|aire)|kommentar|comentario/i;

/** A title on one line, without control characters. */
export function trackTitle(title = ''): string | null {
  const line = title
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, maxTrackTitleLength)
    .trim();
  return line === '' || !line.isWellFormed() ? null : line;
}
