/** More characters are no tag (RFC 5646, 4.4.1). */
const longestTag = 35;

/** A container's language as a BCP 47 tag: ISO 639-2 codes become the two-letter ones where there are any, nonsense becomes `und`. */
export function languageTag(language: string | undefined): string {
  if (!language || language.length > longestTag) return 'und';
  try {
    const tag = Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0];
    return tag !== undefined && tag.length <= longestTag ? tag : 'und';
  } catch {
    return 'und';
  }
}
