/** A container's language as a BCP 47 tag: ISO 639-2 codes become the two-letter ones where there are any, nonsense becomes `und`. */
export function languageTag(language: string | undefined): string {
  // more than 35 characters are no tag (RFC 5646, 4.4.1)
  if (!language || language.length > 35) return 'und';
  try {
    return Intl.getCanonicalLocales(language.replaceAll('_', '-'))[0] ?? 'und';
  } catch {
    return 'und';
  }
}
